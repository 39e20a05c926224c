import { defineTool, nodeContext, type ToolDefinition } from '@millrace/agent-sdk';
import { z } from 'zod';
import { AttachedFile, describeFile } from './files.js';

const Choice = z.object({ id: z.string().min(1), label: z.string().optional() });

/** What a model may do in a conversation: ask, offer a choice, and count. */
export const chatFunctions = {
  ask_user: defineTool({
    description: 'Asks the user for a text, and perhaps files, and waits for it',
    inputSchema: z.object({ prompt: z.string().min(1) }),
    run: async ({ prompt }) => {
      const { text, files = [] } = await nodeContext().suspend({ type: 'waitForInput', prompt });
      const attached = z.array(AttachedFile).parse(files).map(describeFile);
      return { text, ...(attached.length > 0 ? { attached } : {}) };
    },
  }),
  offer_choice: defineTool({
    description: 'Lets the user choose one of several things, and waits for it',
    inputSchema: z.object({ prompt: z.string().min(1), choices: z.array(Choice).min(1) }),
    run: async ({ prompt, choices }) => {
      const { choice } = await nodeContext().suspend({ type: 'waitForChoice', prompt, choices });
      return { choice };
    },
  }),
  measure_text: defineTool({
    description: 'Counts the words or the characters of a text',
    inputSchema: z.object({ text: z.string(), unit: z.enum(['words', 'characters']) }),
    run: async ({ text, unit }, { progress }) => {
      progress(`counting ${unit}`);
      return { unit, count: unit === 'words' ? text.split(/\s+/).filter(Boolean).length : [...text].length };
    },
  }),
} as const satisfies Record<string, ToolDefinition>;
