import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PublicEvent } from '@millrace/client';
import { act, cleanup, renderHook } from '@testing-library/react';
import { StrictMode } from 'react';
import { useCoalescedTokens } from './use-coalesced-tokens.js';
import { SpecWorld } from './world.for-spec.js';

const world = new SpecWorld();
const tokens = (...texts: string[]): void => texts.forEach((text) => world.say('r', { kind: 'TokenDelta', text }));
const said = (events: readonly PublicEvent[]) => events.map((event) => ('text' in event ? event.text : event.kind));
const pass = (ms: number) => act(async () => jest.advanceTimersByTime(ms));

describe('useCoalescedTokens', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    world.log('r').length = 0;
    world.say('r', 'RunStarted');
  });
  afterEach(() => {
    cleanup();
    jest.useRealTimers();
  });
  const begin = () =>
    renderHook(({ events }) => useCoalescedTokens(events), {
      wrapper: StrictMode,
      initialProps: { events: [...world.log('r')] as readonly PublicEvent[] },
    });
  const grown = () => ({ events: [...world.log('r')] });

  it('merges tokens that come together, and shows the last ones too', async () => {
    const { result, rerender } = begin();
    expect(said(result.current)).toEqual(['RunStarted']);
    tokens('a', 'b');
    rerender(grown());
    await pass(50);
    tokens('c');
    rerender(grown());
    expect(said(result.current)).toEqual(['RunStarted']);
    await pass(50);
    expect(said(result.current)).toEqual(['RunStarted', 'abc']);
    tokens('d');
    rerender(grown());
    await pass(100);
    expect(said(result.current)).toEqual(['RunStarted', 'abc', 'd']);
  });

  it('shows any other event at once, after the tokens before it', () => {
    const { result, rerender } = begin();
    tokens('a', 'b');
    world.say('r', 'LogWritten');
    rerender(grown());
    expect(said(result.current)).toEqual(['RunStarted', 'ab', 'LogWritten']);
  });

  it('reads each event once, however often it is drawn', async () => {
    const { result, rerender } = begin();
    let reads = 0;
    const watched = (events: readonly PublicEvent[]) =>
      new Proxy(events, {
        get: (target, name) => {
          if (typeof name === 'string' && /^\d+$/.test(name)) reads += 1;
          return Reflect.get(target, name) as unknown;
        },
      });
    for (let words = 0; words < 200; words += 1) {
      tokens('x');
      rerender({ events: watched([...world.log('r')]) });
    }
    await pass(100);
    expect(said(result.current).join('')).toBe(`RunStarted${'x'.repeat(200)}`);
    expect(reads).toBeLessThan(200 * 4);
  });

  it('begins anew with the events of another run', async () => {
    const { result, rerender } = begin();
    tokens('a');
    rerender(grown());
    const other = new SpecWorld();
    other.say('r', 'RunStarted', 'NodeStarted', 'RunFailed');
    rerender({ events: other.log('r') });
    expect(said(result.current)).toEqual(['RunStarted', 'NodeStarted', 'RunFailed']);
    await pass(100);
    expect(said(result.current)).toEqual(['RunStarted', 'NodeStarted', 'RunFailed']);
  });
});
