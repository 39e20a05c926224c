import type { AgentDefinition } from '@millrace/agent-sdk';
import { createChat } from './chat.agent.js';
import { createConsent } from './consent.agent.js';
import { echo } from './echo.agent.js';
import { createExplorer } from './explorer.agent.js';
import { createGraphEditor } from './graph-editor.agent.js';
import { createImprover } from './improver.agent.js';
import { LEDGER_FOLDER } from './ledger.js';
import { createTreadmill } from './treadmill.agent.js';

export { createChat } from './chat.agent.js';
export { ActionUnclear, createChooseAction } from './choose-action.node.js';
export { createConsent } from './consent.agent.js';
export { ConsentRefused, MediaUnavailable, STUDIO } from './consent.functions.js';
export { echo } from './echo.agent.js';
export { createExplorer } from './explorer.agent.js';
export { ExplorerInput } from './explorer.state.js';
export { AppCrashed, DeviceFailed } from './fake-device.js';
export { AttachedFile, describeFile, Said } from './files.js';
export { createFunctionLoop, type FunctionLoop } from './function-loop.js';
export { createGraphEditor } from './graph-editor.agent.js';
export { EditsRefused } from './graph-editor.functions.js';
export { createImprover } from './improver.agent.js';
export { LEDGER_FOLDER, LedgerRefused } from './ledger.js';
export type { ModelScript } from './model-script.js';
export { SCENARIOS, type Scenario } from './scenarios.js';
export { scriptedAnswer } from './scripted-models.js';
export { createTreadmill } from './treadmill.agent.js';
export { TreadmillInput } from './treadmill.input.js';
export { StepFailed } from './treadmill.step.js';

/** The variable that names the model our agents ask; without it they follow scripts. */
export const AGENT_MODEL = 'AGENT_MODEL';

const model = process.env[AGENT_MODEL] || undefined;

export const treadmill = createTreadmill({ ledgerFolder: process.env[LEDGER_FOLDER] });
export const chat = createChat({ model });
export const graphEditor = createGraphEditor({ model });
export const consent = createConsent({ model });
export const improver = createImprover({ model });
export const explorer = createExplorer({ model });

/** The agents we ship: for `new AgentRegistry(agents)`, and for loadAgents, which finds them by this name. */
export const agents: AgentDefinition[] = [echo, treadmill, chat, graphEditor, consent, improver, explorer];
