import { defineTool, nodeContext, type NodeContext, type ToolDefinition } from '@millrace/agent-sdk';
import { PlatformError } from '@millrace/kernel';
import { z } from 'zod';
import type { AttachedFile } from './files.js';
import { MEDIA } from './media.js';

export class ConsentRefused extends PlatformError {
  readonly code = 'CONSENT_REFUSED';
  readonly redelivery = 'park';
}

export class MediaUnavailable extends PlatformError {
  readonly code = 'MEDIA_UNAVAILABLE';
  readonly redelivery = 'park';
}

export const STUDIO = 'studio';

/** Consent is asked for by the function, not left to the model: without it nothing is made. */
export const consentFunctions = {
  generate_media: defineTool({
    description: 'Makes an image, an audio clip or a video of a prompt, once the user has agreed to it',
    inputSchema: z.object({ medium: z.enum(['image', 'audio', 'video']), prompt: z.string().min(1) }),
    run: async ({ medium, prompt }, { idempotencyKey, signal, progress }) => {
      const context = nodeContext();
      const question = `May I make ${medium} of “${prompt}”?`;
      const { consent } = await context.suspend({ type: 'queryConsent', question, scope: `media:${medium}` });
      if (!consent) throw new ConsentRefused(`The user does not want ${medium} to be made`);
      progress(`making ${medium}`);
      return asStudio(context, async () => ({ files: [await made(medium, prompt, idempotencyKey, signal)] }));
    },
  }),
} as const satisfies Record<string, ToolDefinition>;

/** What the studio does is said in its name. */
const asStudio = async <T>(context: NodeContext, work: () => Promise<T>): Promise<T> => {
  const { agentId } = context;
  context.changeAgent(STUDIO);
  try {
    return await work();
  } finally {
    context.changeAgent(agentId);
  }
};

const STAGES = ['sketch', 'render', 'encode'];

const made = async (
  medium: 'image' | 'audio' | 'video',
  prompt: string,
  toolUseId: string,
  signal: AbortSignal,
): Promise<AttachedFile> => {
  const studio = nodeContext().subagent(`${STUDIO}:${medium}`, toolUseId);
  studio.progress({ stage: STAGES[0], prompt });
  if (medium === 'video') {
    const problem = `this studio makes ${Object.keys(MEDIA).join(' and ')}, no video`;
    studio.fail(problem);
    throw new MediaUnavailable(`No video: ${problem}`);
  }
  for (const [at, stage] of STAGES.entries()) {
    signal.throwIfAborted();
    if (at > 0) studio.progress({ stage, fraction: at / STAGES.length });
  }
  const file = MEDIA[medium](prompt);
  studio.finish({ name: file.name, mediaType: file.mediaType });
  return file;
};
