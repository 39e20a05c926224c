import { afterEach, describe, expect, it } from '@jest/globals';
import { act, cleanup, render, renderHook, waitFor } from '@testing-library/react';
import { createElement } from 'react';
import { MillraceProvider } from './millrace-provider.js';
import { usePendingInputs } from './use-pending-inputs.js';
import { useRunStream } from './use-run-stream.js';
import { SpecWorld } from './world.for-spec.js';

afterEach(cleanup);

const sequences = (events: readonly { sequence: number }[]) => events.map(({ sequence }) => sequence);

describe('useRunStream', () => {
  it('gives what was said and what is being said, once and in order, in strict mode', async () => {
    const world = new SpecWorld();
    world.say('r1', 'RunStarted', 'NodeStarted');
    const { result } = renderHook(() => useRunStream('r1'), { wrapper: world.around });
    expect(result.current).toMatchObject({ events: [], highestSequenceSeen: -1 });
    await waitFor(() => expect(sequences(result.current.events)).toEqual([0, 1]));
    expect(result.current).toMatchObject({ connection: 'open', highestSequenceSeen: 1 });
    world.say('r1', 'NodeFinished', 'RunFinished');
    await waitFor(() => expect(result.current.connection).toBe('ended'));
    expect(result.current.events).toEqual(world.log('r1'));
    expect(result.current.lastEvent?.kind).toBe('RunFinished');
    expect(world.openStreams).toEqual([]);
  });

  it('shows the very first event of a run', async () => {
    const world = new SpecWorld();
    world.say('r1', 'RunStarted');
    const { result } = renderHook(() => useRunStream('r1'), { wrapper: world.around });
    await waitFor(() => expect(sequences(result.current.events)).toEqual([0]));
  });

  it('closes its connection when it is unmounted', async () => {
    const world = new SpecWorld();
    world.say('r1', 'RunStarted');
    const { unmount } = renderHook(() => useRunStream('r1'), { wrapper: world.around });
    await waitFor(() => expect(world.openStreams).toEqual(['r1']));
    unmount();
    expect(world.openStreams).toEqual([]);
  });

  it('follows another run when it is given one, and shows nothing of the old', async () => {
    const world = new SpecWorld();
    world.say('r1', 'RunStarted', 'NodeStarted');
    world.say('r2', 'RunStarted');
    const first: { runId: string | undefined } = { runId: 'r1' };
    const { result, rerender } = renderHook(({ runId }) => useRunStream(runId), {
      wrapper: world.around,
      initialProps: first,
    });
    await waitFor(() => expect(result.current.events).toHaveLength(2));
    rerender({ runId: 'r2' });
    expect(result.current.events).toEqual([]);
    await waitFor(() => expect(result.current.events).toEqual(world.log('r2')));
    expect(world.openStreams).toEqual(['r2']);
    rerender({ runId: undefined });
    expect(result.current).toMatchObject({ events: [], connection: 'idle' });
    expect(world.openStreams).toEqual([]);
  });

  it('reads everything anew as somebody else when the client changes', async () => {
    const [ada, bob] = [new SpecWorld(), new SpecWorld()];
    ada.say('r1', 'RunStarted', 'NodeStarted');
    bob.say('r1', 'RunStarted');
    let shown: readonly unknown[] = [];
    const Shows = () => {
      shown = useRunStream('r1').events;
      return null;
    };
    const page = (world: SpecWorld) => createElement(MillraceProvider, { client: world.client }, createElement(Shows));
    const { rerender } = render(page(ada));
    await waitFor(() => expect(shown).toEqual(ada.log('r1')));
    rerender(page(bob));
    expect(shown).toEqual([]);
    await waitFor(() => expect(shown).toEqual(bob.log('r1')));
    expect(ada.openStreams).toEqual([]);
  });

  it('shares one connection among all who look at a run, and goes on where it was for who comes back', async () => {
    const world = new SpecWorld();
    world.say('r1', 'RunStarted');
    const Viewer = () => createElement('b', undefined, String(useRunStream('r1').events.length));
    const page = (count: number) =>
      createElement(
        MillraceProvider,
        { client: world.client },
        Array.from({ length: count }, (_, key) => createElement(Viewer, { key })),
      );
    const { container, rerender } = render(page(3));
    await waitFor(() => expect(container.textContent).toBe('111'));
    expect(world.streams).toHaveLength(1);
    rerender(page(0));
    expect(world.openStreams).toEqual([]);
    world.say('r1', 'NodeStarted');
    rerender(page(1));
    expect(container.textContent).toBe('1');
    await waitFor(() => expect(container.textContent).toBe('2'));
    expect(world.streams.map(({ fromSeq }) => fromSeq)).toEqual([0, 1]);
  });

  it('draws a long replay a few times, not once for each event', async () => {
    const world = new SpecWorld();
    world.say('r1', ...Array.from({ length: 2_000 }, () => 'TokenDelta' as const), 'RunFinished');
    let drawings = 0;
    const { result } = renderHook(() => (drawings++, useRunStream('r1')), { wrapper: world.around });
    await waitFor(() => expect(result.current.events).toHaveLength(2_001), { timeout: 10_000 });
    expect(drawings).toBeLessThan(200);
  });

  it('tells what ended the stream when that was not the run', async () => {
    const world = new SpecWorld();
    world.answers.set('GET /agents/runs/r%2F1/stream', () =>
      Response.json({ title: 'No such run.', status: 404, code: 'RUN_NOT_FOUND' }, { status: 404 }),
    );
    const { result } = renderHook(() => useRunStream('r/1'), { wrapper: world.around });
    await waitFor(() => expect(result.current.error).toMatchObject({ code: 'RUN_NOT_FOUND' }));
  });

  it('needs a provider, and says so', () => {
    expect(() => renderHook(() => useRunStream('r1'))).toThrow('MillraceProvider');
  });
});

describe('usePendingInputs', () => {
  const ONE = '01JD0000000000000000000011';
  const TWO = '01JD0000000000000000000012';
  const asks = (requestId: string) => ({ kind: 'InputRequested', requestId }) as const;
  const answered = (requestId: string) => ({ kind: 'InputProvided', requestId }) as const;

  it('lists what the run waits for, and nothing that was answered or whose run is over', async () => {
    const world = new SpecWorld();
    world.say('r1', 'RunStarted', asks(ONE), asks(TWO), answered(ONE));
    const { result } = renderHook(() => usePendingInputs('r1'), { wrapper: world.around });
    const ids = () => result.current.pending.map(({ requestId }) => requestId);
    await waitFor(() => expect(ids()).toEqual([TWO]));
    world.say('r1', { kind: 'InputExpired', requestId: TWO });
    await waitFor(() => expect(ids()).toEqual([]));
    world.say('r1', asks(ONE));
    await waitFor(() => expect(ids()).toEqual([ONE]));
    world.say('r1', 'RunCanceled');
    await waitFor(() => expect(ids()).toEqual([]));
  });

  it('sends answers, and takes it as no error when another was quicker', async () => {
    const world = new SpecWorld();
    world.say('r1', 'RunStarted', asks(ONE));
    const route = `POST /agents/runs/r1/inputs/${ONE}`;
    world.answers.set(route, () => Response.json({ status: 'RUNNING' }));
    const { result } = renderHook(() => usePendingInputs('r1'), { wrapper: world.around });
    expect(await act(() => result.current.answer(ONE, { text: 'Ada' }))).toBe(true);
    const refuse = (status: number, code: string) =>
      world.answers.set(route, () => Response.json({ title: code, status, code }, { status }));
    refuse(409, 'INPUT_ALREADY_ANSWERED');
    expect(await act(() => result.current.answer(ONE, { text: 'Ada' }))).toBe(false);
    refuse(400, 'VALIDATION_FAILED');
    await expect(act(() => result.current.answer(ONE, { text: 'Ada' }))).rejects.toMatchObject({ status: 400 });
  });
});
