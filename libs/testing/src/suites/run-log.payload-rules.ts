import { describe, expect, it } from '@jest/globals';
import { FACT_FIXTURES, MAX_INLINE_BYTES, type RunEvent, type RunFactOf } from '@millrace/contracts';
import { aNewRun, appendAll, draftOf, type OpenedRunLog, requested, started, take, token } from './log-fixtures.js';

const finished = (output: unknown): RunFactOf<'NodeFinished'> => ({ ...FACT_FIXTURES.NodeFinished, output });
const textOf = (bytes: number): string => 'ä'.repeat(bytes / 2);

export const payloadRules = (opened: () => OpenedRunLog): void => {
  describe('a large payload', () => {
    it('reads the same as a small one: by the writer, by readers and by followers', async () => {
      const run = aNewRun();
      const output = { report: textOf(4 * MAX_INLINE_BYTES), rows: Array.from({ length: 500 }, (_, row) => ({ row })) };
      const { tail } = await appendAll(opened().log, run, [requested(), started()]);
      const following = take((await opened().another()).follow(run), 4);
      const { events } = await appendAll(opened().log, run, [draftOf(finished(output)), token('after')], tail);
      expect(events[0]).toMatchObject({ kind: 'NodeFinished', output });
      expect((await opened().log.read(run)).events.slice(2)).toEqual(events);
      expect((await following).slice(2)).toEqual(events);
    });

    it('may be spread over several fields, or be the whole text of a message', async () => {
      const run = aNewRun();
      const request = draftOf({
        ...FACT_FIXTURES.RunRequested,
        input: { text: textOf(MAX_INLINE_BYTES) },
        seedState: [textOf(MAX_INLINE_BYTES)],
      });
      const { events } = await appendAll(opened().log, run, [request, token(textOf(2 * MAX_INLINE_BYTES))]);
      expect((await opened().log.read(run)).events).toEqual(events);
      expect((events[1] as Extract<RunEvent, { kind: 'TokenDelta' }>).text).toHaveLength(MAX_INLINE_BYTES);
    });

    it('is told from a value that only looks like a reference', async () => {
      const run = aNewRun();
      const output = { ref: `sha256-${'0'.repeat(64)}`, bytes: 12, mediaType: 'application/json' };
      const { events } = await appendAll(opened().log, run, [draftOf(finished(output))]);
      expect(events[0]).toMatchObject({ output });
      expect((await opened().log.read(run)).events).toEqual(events);
    });
  });
};
