import { describe, expect, it } from '@jest/globals';
import { EventInvalid, FACT_FIXTURES, RUN_EVENT_KINDS } from '@millrace/contracts';
import { EMPTY_TAIL, RunLogConflict, type EventDraft } from '@millrace/ports';
import {
  aNewRun,
  appendAll,
  draftOf,
  effect,
  type OpenedRunLog,
  requested,
  sequenceOf,
  started,
  token,
} from './log-fixtures.js';

export const appendRules = (opened: () => OpenedRunLog): void => {
  describe('append', () => {
    it('numbers all events by position and the public ones by sequence, both without gaps', async () => {
      const run = aNewRun();
      const drafts = [requested(), started(), effect('a'), token('x'), effect('b'), token('y')];
      const { events, tail } = await appendAll(opened().log, run, drafts);
      expect(events.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5]);
      expect(events.map(sequenceOf)).toEqual([undefined, 0, undefined, 1, undefined, 2]);
      expect(tail).toMatchObject({ position: 5, sequence: 2 });
    });

    it('gives the events of an infrastructure tool no sequence', async () => {
      const run = aNewRun();
      const handOff = draftOf({ ...FACT_FIXTURES.ToolRequested, tool: 'transfer_to_critic' });
      const { events, tail } = await appendAll(opened().log, run, [requested(), started(), handOff, token('x')]);
      expect(events.map(sequenceOf)).toEqual([undefined, 0, undefined, 1]);
      expect(tail).toMatchObject({ position: 3, sequence: 1 });
    });

    it('takes every kind and gives back what its readers will read', async () => {
      const run = aNewRun();
      const drafts = RUN_EVENT_KINDS.map((kind) => draftOf(FACT_FIXTURES[kind]));
      const { events } = await appendAll(opened().log, run, drafts);
      expect((await opened().log.read(run)).events).toEqual(events);
      expect(events.map(({ kind }) => kind)).toEqual(RUN_EVENT_KINDS);
    });

    it('keeps fields it does not know and drops what JSON does not say', async () => {
      const run = aNewRun();
      const draft: EventDraft = Object.assign(started(), { fromTheFuture: { a: 1 }, absent: undefined });
      const { event } = await opened().log.append(run, draft, EMPTY_TAIL);
      expect(event).toMatchObject({ fromTheFuture: { a: 1 } });
      expect(Object.keys(event)).not.toContain('absent');
      expect((await opened().log.read(run)).events).toEqual([event]);
    });

    it('refuses to write behind a tail that is no longer the last, and stores nothing', async () => {
      const run = aNewRun();
      const first = await opened().log.append(run, requested(), EMPTY_TAIL);
      await opened().log.append(run, started(), first.tail);
      await expect(opened().log.append(run, token('late'), first.tail)).rejects.toBeInstanceOf(RunLogConflict);
      await expect(opened().log.append(run, requested(), EMPTY_TAIL)).rejects.toBeInstanceOf(RunLogConflict);
      expect((await opened().log.read(run)).events.map(({ kind }) => kind)).toEqual(['RunRequested', 'RunStarted']);
    });

    it('stores a repeated event once', async () => {
      const run = aNewRun();
      const draft = requested();
      const once = await opened().log.append(run, draft, EMPTY_TAIL);
      expect(await opened().log.append(run, draft, EMPTY_TAIL)).toEqual(once);
      expect(await (await opened().another()).append(run, draft, EMPTY_TAIL)).toEqual(once);
      expect((await opened().log.read(run)).events).toEqual([once.event]);
    });

    it('knows a repeated event also when others have written behind it', async () => {
      const run = aNewRun();
      const draft = requested();
      const once = await opened().log.append(run, draft, EMPTY_TAIL);
      await appendAll(opened().log, run, [started(), token('x')], once.tail);
      expect(await opened().log.append(run, draft, EMPTY_TAIL)).toEqual(once);
      expect((await opened().log.read(run)).events).toHaveLength(3);
    });

    it('refuses an event id that stands at another place of the run', async () => {
      const run = aNewRun();
      const draft = requested();
      const { tail } = await opened().log.append(run, draft, EMPTY_TAIL);
      const next = await opened().log.append(run, started(), tail);
      await expect(opened().log.append(run, draft, next.tail)).rejects.toBeInstanceOf(RunLogConflict);
      expect((await opened().log.read(run)).events).toHaveLength(2);
    });

    it.each<[string, () => EventDraft]>([
      ['an empty token', () => token('')],
      ['an event no agent said', () => ({ ...token('x'), agentId: '' })],
      ['an id that is none', () => ({ ...requested(), eventId: 'x.y.>' as EventDraft['eventId'] })],
      ['a time that is none', () => ({ ...requested(), ts: 'yesterday' })],
      ['a kind nobody knows', () => ({ ...requested(), kind: 'RunPurged' }) as unknown as EventDraft],
      ['a kind that is a wildcard', () => ({ ...requested(), kind: '*' }) as unknown as EventDraft],
      ['a value that contains itself', () => draftOf({ ...FACT_FIXTURES.EffectRecorded, value: circular() })],
      ['a value JSON has no word for', () => draftOf({ ...FACT_FIXTURES.EffectRecorded, value: 1n })],
    ])('refuses %s before anything is stored', async (_, malformed) => {
      const run = aNewRun();
      await expect(opened().log.append(run, malformed(), EMPTY_TAIL)).rejects.toBeInstanceOf(EventInvalid);
      expect(await opened().log.tail(run)).toEqual(EMPTY_TAIL);
    });
  });
};

const circular = (): object => {
  const value: { self?: object } = {};
  value.self = value;
  return value;
};
