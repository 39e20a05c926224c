import { describe, expect, it } from '@jest/globals';
import { ManualClock, memoryPlatform } from '@millrace/adapter-memory';
import { AgentAnnouncement, RunId, type RunRef, WorkerId } from '@millrace/contracts';
import type { AgentCatalogue } from '@millrace/ports';
import { aRunRef, requestRun } from '@millrace/testing';
import { RunCommandHandler } from '../run-command-handler.js';
import { Dispatcher, type DispatchNotes } from './dispatcher.js';

const NOTES: DispatchNotes = {
  ...{ leading: () => {}, delayed: () => {}, standing: () => {}, stranded: () => {}, setAside: () => {} },
  interrupted: (cause) => console.error(cause),
  sweepFailed: (cause) => console.error(cause),
  snapshotUnusable: (cause) => console.error(cause),
};

const workerId = WorkerId.parse('01JD0000000000000000000009');
const announce = (catalogue: AgentCatalogue, id: string, version: string): Promise<void> =>
  catalogue.announce(
    AgentAnnouncement.parse({
      ...{ format: '1', id, version, policies: [], speakers: [id], conversational: false, tools: [] },
      ...{ graph: { nodes: [], edges: [] }, announcedBy: workerId },
    }),
  );
const serve = (catalogue: AgentCatalogue, agent: string, version: string, by = workerId): Promise<void> =>
  catalogue.present({ format: '1', workerId: by, serves: [{ agent, version, isCurrent: true }] });

/** A dispatcher that runs, and a catalogue to change under it. */
const dispatching = async (during: (world: World) => Promise<void>): Promise<void> => {
  const platform = memoryPlatform({ clock: new ManualClock() });
  const stop = new AbortController();
  const agents = await platform.catalogue.watch(stop.signal);
  const ports = { ...platform, log: platform.runs, agents, wake: async () => {}, offer: async () => {} };
  const dispatcher = new Dispatcher(
    { ...ports, pause: (ms, signal) => platform.pause(ms, signal) },
    { maxActive: 10, maxActivePerTenant: 10 },
    NOTES,
  );
  const running = dispatcher.run(stop.signal);
  const handler = new RunCommandHandler(ports);
  let count = 0;
  const request = async (agent: string): Promise<RunRef> => {
    const ref = { ...aRunRef, runId: RunId.parse(String((count += 1)).padStart(26, '0')) };
    await handler.handle({ ...requestRun(), ...ref, agent });
    return ref;
  };
  const heard = async (ref: RunRef, kind: string): Promise<object> => {
    for await (const event of platform.runs.follow(ref)) if (event.kind === kind) return event;
    throw new Error(`Run ${ref.runId} never said ${kind}`);
  };
  const cancel = async (ref: RunRef) => void (await handler.handle({ kind: 'CancelRun', ...ref, requestedBy: 'ada' }));
  try {
    await during({ catalogue: platform.catalogue, request, heard, cancel });
  } finally {
    stop.abort();
    await running;
  }
};

interface World {
  readonly catalogue: AgentCatalogue;
  readonly request: (agent: string) => Promise<RunRef>;
  readonly heard: (ref: RunRef, kind: string) => Promise<object>;
  readonly cancel: (ref: RunRef) => Promise<void>;
}

describe('The dispatcher', () => {
  it('lets a run wait while nobody has its agent, starts others meanwhile, and it when a worker comes', () =>
    dispatching(async ({ catalogue, request, heard }) => {
      await announce(catalogue, 'echo', '1');
      await serve(catalogue, 'echo', '1');
      const waiting = await request('late');
      const other = await request('echo');
      expect(await heard(other, 'RunStarted')).toMatchObject({ agentVersion: '1' });
      expect(await heard(waiting, 'RunQueued')).toMatchObject({ waitingFor: 'worker' });
      await announce(catalogue, 'late', '7');
      await serve(catalogue, 'late', '7', WorkerId.parse('01JD0000000000000000000008'));
      expect(await heard(waiting, 'RunStarted')).toMatchObject({ agent: 'late', agentVersion: '7' });
    }));

  it('starts each run with the newest version that is served at that moment', () =>
    dispatching(async ({ catalogue, request, heard }) => {
      for (const version of ['1', '2']) await announce(catalogue, 'echo', version);
      await serve(catalogue, 'echo', '1');
      expect(await heard(await request('echo'), 'RunStarted')).toMatchObject({ agentVersion: '1' });
      await serve(catalogue, 'echo', '2', WorkerId.parse('01JD0000000000000000000008'));
      expect(await heard(await request('echo'), 'RunStarted')).toMatchObject({ agentVersion: '2' });
    }));

  it('does not start a run that was canceled while it waited for a worker', () =>
    dispatching(async ({ catalogue, request, heard, cancel }) => {
      const canceled = await request('late');
      await heard(canceled, 'RunQueued');
      await cancel(canceled);
      const waiting = await request('late');
      await announce(catalogue, 'late', '1');
      await serve(catalogue, 'late', '1');
      await heard(waiting, 'RunStarted');
      await expect(heard(canceled, 'RunCancelRequested')).resolves.toMatchObject({ position: 2 });
    }));
});
