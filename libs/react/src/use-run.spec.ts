import { afterEach, describe, expect, it } from '@jest/globals';
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { useRun } from './use-run.js';
import { useRuns } from './use-runs.js';
import { SpecWorld } from './world.for-spec.js';

afterEach(cleanup);

describe('useRun', () => {
  it('reads the run again whenever it has changed', async () => {
    const world = new SpecWorld();
    let status = 'PENDING';
    world.answers.set('GET /agents/runs/r1', () => Response.json({ id: 'r1', status }));
    const { result } = renderHook(() => useRun('r1'), { wrapper: world.around });
    expect(result.current).toMatchObject({ run: undefined, isLoading: true });
    await waitFor(() => expect(result.current.run?.status).toBe('PENDING'));
    status = 'RUNNING';
    world.say('r1', 'RunStarted', 'NodeStarted');
    await waitFor(() => expect(result.current.run?.status).toBe('RUNNING'));
    status = 'SUCCEEDED';
    world.say('r1', 'TokenDelta', 'RunFinished');
    await waitFor(() => expect(result.current.run?.status).toBe('SUCCEEDED'));
  });

  it('tells what went wrong, keeps what it has, and shows nothing of another run', async () => {
    const world = new SpecWorld();
    world.answers.set('GET /agents/runs/r1', () => Response.json({ id: 'r1' }));
    const { result, rerender } = renderHook(({ id }) => useRun(id), {
      wrapper: world.around,
      initialProps: { id: 'r1' },
    });
    await waitFor(() => expect(result.current.run?.id).toBe('r1'));
    world.answers.delete('GET /agents/runs/r1');
    act(() => result.current.refresh());
    await waitFor(() => expect(result.current.error).toMatchObject({ code: 'NOT_FOUND' }));
    expect(result.current.run?.id).toBe('r1');
    rerender({ id: 'r2' });
    expect(result.current).toMatchObject({ run: undefined, error: undefined, isLoading: true });
    await waitFor(() => expect(result.current.isLoading).toBe(false));
    expect(result.current).toMatchObject({ run: undefined, error: { code: 'NOT_FOUND' } });
  });
});

describe('useRuns', () => {
  const world = new SpecWorld();
  const PAGES: Record<string, object> = {
    '': { runs: [{ id: 'c' }, { id: 'b' }], nextCursor: 'next' },
    next: { runs: [{ id: 'a' }] },
  };
  world.answers.set('GET /agents/runs', () => {
    const { searchParams } = new URL(world.asked.at(-1)?.split(' ')[1] ?? '', 'http://spec');
    return Response.json(PAGES[searchParams.get('cursor') ?? '']);
  });
  const ids = (runs: readonly { id: string }[]) => runs.map(({ id }) => id);

  it('lists runs, and more of them on request without losing those that are there', async () => {
    const seen: string[][] = [];
    const { result } = renderHook(
      () => {
        const list = useRuns({ agent: 'echo' });
        seen.push(ids(list.runs));
        return list;
      },
      { wrapper: world.around },
    );
    await waitFor(() => expect(ids(result.current.runs)).toEqual(['c', 'b']));
    expect(result.current.hasMore).toBe(true);
    act(() => result.current.loadMore());
    await waitFor(() => expect(ids(result.current.runs)).toEqual(['c', 'b', 'a']));
    expect(result.current.hasMore).toBe(false);
    const first = seen.findIndex((shown) => shown.length > 0);
    expect(seen.slice(first).every((shown) => shown.length > 0)).toBe(true);
    expect(world.asked.every((asked) => asked.includes('agent=echo'))).toBe(true);
  });

  it('asks once for a filter that is written anew at each drawing', async () => {
    const before = world.asked.length;
    const { result, rerender } = renderHook(() => useRuns({ status: 'FAILED' }), { wrapper: world.around });
    await waitFor(() => expect(result.current.isLoading).toBe(false));
    rerender();
    rerender();
    expect(world.asked.length - before).toBeLessThanOrEqual(2); // strict mode mounts twice
  });
});
