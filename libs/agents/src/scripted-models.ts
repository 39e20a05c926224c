import type { LlmRequest } from '@millrace/ports';
import { CHAT_SCRIPT, chatScript } from './chat.agent.js';
import { CONSENT_SCRIPT, consentScript } from './consent.agent.js';
import { EXPLORER_SCRIPT, explorerScript } from './explorer.agent.js';
import { GRAPH_EDITOR_SCRIPT, graphEditorScript } from './graph-editor.agent.js';
import { IMPROVER_SCRIPT, improverScript } from './improver.agent.js';
import type { ModelScript } from './model-script.js';

const SCRIPTS: Readonly<Record<string, (request: LlmRequest) => ModelScript>> = {
  [CHAT_SCRIPT]: chatScript,
  [GRAPH_EDITOR_SCRIPT]: graphEditorScript,
  [CONSENT_SCRIPT]: consentScript,
  [IMPROVER_SCRIPT]: improverScript,
  [EXPLORER_SCRIPT]: explorerScript,
};

/** What the models of our own agents say when no other is configured; undefined for a model that is none of them. */
export const scriptedAnswer = (request: LlmRequest): ModelScript | undefined =>
  Object.hasOwn(SCRIPTS, request.model) ? SCRIPTS[request.model]?.(request) : undefined;
