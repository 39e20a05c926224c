import type { AgentDefinition } from '@millrace/agent-sdk';
import type { LlmRequest } from '@millrace/ports';
import { consentFunctions } from './consent.functions.js';
import { createFunctionLoop } from './function-loop.js';
import { call, type ModelScript, thought, writeScript } from './model-script.js';

export const CONSENT_SCRIPT = 'scripted/consent';

const SYSTEM = `You make media for one person: an image, an audio clip, a video, or several of them. Call the function once for
each medium they ask for, and end with one sentence about what was made and what was not.`;

/** Makes media of what it is told, when its person agrees, with nested progress. */
export const createConsent = ({ model = CONSENT_SCRIPT }: { model?: string | undefined } = {}): AgentDefinition =>
  createFunctionLoop({
    ...{ id: 'consent', version: '1', title: 'Media with consent' },
    description: 'Makes images, sound or video of what it is told, once its person agrees.',
    ...{ model, system: SYSTEM, functions: consentFunctions },
  });

const MEDIA = ['image', 'audio', 'video'];

/** Makes what the person names, an image when they name nothing. */
export const consentScript = (request: LlmRequest): ModelScript =>
  writeScript(
    request,
    ({ text }) => {
      const named = MEDIA.filter((medium) => text.toLowerCase().includes(medium));
      const wanted = named.length > 0 ? named : ['image'];
      return [
        thought(`They want ${wanted.join(' and ')}. `),
        'I will ask before I make anything. ',
        ...wanted.map((medium) => call('generate_media', { medium, prompt: text })),
      ];
    },
    (heard) => [outcomeOf(heard.outcomesOf('generate_media'))],
  );

const outcomeOf = (outcomes: readonly { readonly isError: boolean }[]): string => {
  const made = outcomes.filter(({ isError }) => !isError).length;
  if (made === outcomes.length) return `Done: ${made} made.`;
  return made === 0 ? 'Nothing was made.' : `${made} made, ${outcomes.length - made} not.`;
};
