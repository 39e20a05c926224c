import type { LlmChunk } from '@millrace/ports';
import type { ScriptPart, ScriptTurn } from './llm-script.js';

export type Token = Exclude<LlmChunk, { type: 'end' }>;

/** A turn as it is said. Calls without an id are numbered, so that they are the same whoever says them. */
export const tokensOf = ({ says }: ScriptTurn, turn: number): Token[] =>
  says.flatMap((part, index) => said(part, `call_${turn + 1}_${index + 1}`));

const said = (part: ScriptPart, id: string): Token[] => {
  switch (part.type) {
    case 'text':
    case 'thought':
      return wordsIn(part.text).map((text) => ({ type: part.type, text }));
    case 'toolCall':
      return [{ type: 'toolCall', id: part.id ?? id, name: part.name, input: part.input }];
  }
};

/** Each word with the space after it: together they are the text again. */
export const wordsIn = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\s)(?=\S)/));
