import type { AgentDefinition } from '@millrace/agent-sdk';
import type { LlmRequest } from '@millrace/ports';
import { z } from 'zod';
import { chatFunctions } from './chat.functions.js';
import { createFunctionLoop } from './function-loop.js';
import { call, type Heard, type ModelScript, thought, writeScript } from './model-script.js';

export const CHAT_SCRIPT = 'scripted/chat';

const SYSTEM = `You talk with one person. Find out what they want to know about the text they sent: ask when you have to,
offer a choice when there are few answers, and measure rather than guess. End with one short answer.`;

/** Talks with somebody about what they wrote: asks, lets them choose, counts, answers. */
export const createChat = ({ model = CHAT_SCRIPT }: { model?: string | undefined } = {}): AgentDefinition =>
  createFunctionLoop({
    ...{ id: 'chat', version: '1', title: 'Chat' },
    description: 'Talks with somebody about the text they sent: asks, lets them choose, measures, answers.',
    ...{ model, system: SYSTEM, functions: chatFunctions },
  });

/** What the model says when none is configured. Told `/fail`, it fails. */
export const chatScript = (request: LlmRequest): ModelScript =>
  writeScript(
    request,
    ({ text, attached }) =>
      text.trim() === '/fail'
        ? { says: ['I will not '], fails: { message: 'it was told to fail', retryable: false } }
        : [
            thought('I do not know yet who this is.'),
            `You wrote “${text}”${attached.length > 0 ? ` and attached ${attached.length} file(s)` : ''}. `,
            call('ask_user', { prompt: 'What is your name?' }),
          ],
    (heard) => [
      `Thank you, ${nameIn(heard)}. `,
      call('offer_choice', { prompt: 'What shall I count?', choices: UNITS }),
    ],
    (heard) => [call('measure_text', { text: heard.text, unit: Chosen.parse(heard.resultOf('offer_choice')).choice })],
    (heard) => {
      const { count, unit } = Measured.parse(heard.resultOf('measure_text'));
      return [`Your text has ${count} ${unit}, ${nameIn(heard)}.`];
    },
  );

const UNITS = [
  { id: 'words', label: 'Its words' },
  { id: 'characters', label: 'Its characters' },
];

const nameIn = (heard: Heard): string => Answered.parse(heard.resultOf('ask_user')).text;

const Answered = z.object({ text: z.string() });
const Chosen = z.object({ choice: z.string() });
const Measured = z.object({ count: z.int(), unit: z.string() });
