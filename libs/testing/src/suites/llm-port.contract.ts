import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Usage } from '@millrace/contracts';
import { LlmFailed, type LlmChunk, type LlmPort, type LlmRequest } from '@millrace/ports';

/** A model, and requests that are known to end as their names say. */
export interface OpenedLlm {
  readonly llm: LlmPort;
  /** Answered with this text, in more than one piece. */
  readonly speech: { readonly request: LlmRequest; readonly text: string };
  /** Answered by calling this tool once. */
  readonly toolCall: { readonly request: LlmRequest; readonly name: string; readonly input: unknown };
  /** Begins to answer, and would not come to an end within the test. */
  readonly endless: LlmRequest;
  /** Fails in a way that passes by itself. */
  readonly overloaded: LlmRequest;
  /** Fails however often it is asked. */
  readonly refused: LlmRequest;
  close(): Promise<void>;
}

/** What every language model promises, whoever hosts it. */
export const llmContract = (name: string, open: () => Promise<OpenedLlm>): void => {
  describe(`The ${name} model`, () => {
    let opened: OpenedLlm;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const answerTo = async (request: LlmRequest): Promise<LlmChunk[]> => {
      const answer: LlmChunk[] = [];
      for await (const chunk of opened.llm.stream(request, new AbortController().signal)) answer.push(chunk);
      return answer;
    };

    it('says its text piece by piece, in order, and no piece is empty', async () => {
      const pieces = textsIn(await answerTo(opened.speech.request));
      expect(pieces.join('')).toBe(opened.speech.text);
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces).not.toContain('');
    });

    it('ends once, as the last thing it says', async () => {
      const types = (await answerTo(opened.speech.request)).map(({ type }) => type);
      expect(types.filter((type) => type === 'end')).toHaveLength(1);
      expect(types.at(-1)).toBe('end');
    });

    it('says at the end why it ended and what was used', async () => {
      const end = (await answerTo(opened.speech.request)).at(-1);
      if (end?.type !== 'end') throw new TypeError(`The last chunk is ${end?.type}`);
      expect(end.stopReason).not.toBe('');
      expect(Usage.parse(end.usage)).toEqual(end.usage);
      expect(end.usage.inputTokens).toBeGreaterThan(0);
      expect(end.usage.outputTokens).toBeGreaterThan(0);
    });

    it('hands over a tool call whole, with an id', async () => {
      const { request, name: tool, input } = opened.toolCall;
      const calls = (await answerTo(request)).filter(({ type }) => type === 'toolCall');
      expect(calls).toEqual([{ type: 'toolCall', id: expect.stringMatching(/./), name: tool, input }]);
    });

    it('answers several at once without mixing them', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => answerTo(opened.speech.request)));
      expect(new Set(answers.map((answer) => textsIn(answer).join('')))).toEqual(new Set([opened.speech.text]));
    });

    it('stops while it waits for its next word when it is aborted', async () => {
      const aborted = new AbortController();
      const answer = opened.llm.stream(opened.endless, aborted.signal)[Symbol.asyncIterator]();
      expect((await answer.next()).done).toBe(false);
      const reading = failureOf(readToTheEnd(answer));
      aborted.abort();
      expect(wasStopped(await reading)).toBe(true);
    });

    it('says nothing when it was aborted before it began', async () => {
      const answer = opened.llm.stream(opened.speech.request, AbortSignal.abort())[Symbol.asyncIterator]();
      expect(wasStopped(await failureOf(answer.next()))).toBe(true);
    });

    it('fails so that it is tried again when that may help', async () => {
      const failure = await failureOf(answerTo(opened.overloaded));
      expect(failure).toBeInstanceOf(LlmFailed);
      expect(failure).toMatchObject({ code: 'LLM_FAILED', redelivery: 'retry' });
    });

    it('fails for good when it does not', async () => {
      const failure = await failureOf(answerTo(opened.refused));
      expect(failure).toBeInstanceOf(LlmFailed);
      expect(failure).toMatchObject({ code: 'LLM_FAILED', redelivery: 'park' });
    });
  });
};

const textsIn = (answer: readonly LlmChunk[]): string[] =>
  answer.flatMap((chunk) => (chunk.type === 'text' ? [chunk.text] : []));

const readToTheEnd = async (answer: AsyncIterator<LlmChunk>): Promise<void> => {
  while (!(await answer.next()).done);
};

const failureOf = (answering: Promise<unknown>): Promise<unknown> =>
  answering.then(
    (answered) => `it answered ${JSON.stringify(answered)}`,
    (error: unknown) => error,
  );

/** Vendors say it in two ways. By name: an AbortError comes from another realm than the spec's. */
const wasStopped = (error: unknown): boolean =>
  error instanceof LlmFailed || (error instanceof Object && 'name' in error && error.name === 'AbortError');
