import { describe, expect, it } from '@jest/globals';
import type { RunEventKind } from '@millrace/contracts';
import { join } from 'node:path';
import { Cluster, type Role } from './cluster.for-spec.js';
import type { Publish, PublishGate } from './publish-gate.for-spec.js';
import { expectSoundStory } from './sound-story.for-spec.js';

const AGENT_MODULES = join(import.meta.dirname, '..', 'agents', 'workshop.mjs');

interface Point {
  readonly role: Role;
  readonly isHeld: (publish: Publish) => boolean;
}

const before = (role: Role, kind: RunEventKind): Point => ({
  role,
  isHeld: ({ subject }) => /^tenant\.\w+\.run\.\w+\.(\w+)$/.exec(subject)?.[1] === kind,
});
const beforeOffer: Point = { role: 'orchestrator', isHeld: ({ subject }) => subject.includes('.task.') };
const beforeAck: Point = {
  role: 'node-workers',
  isHeld: ({ subject, payload }) =>
    subject.startsWith('$JS.ACK.TASKS.') && payload.toString('latin1').startsWith('+ACK'),
};

interface Story {
  readonly of: string;
  /** In the order a run comes by them. */
  readonly untilItWaits: readonly Point[];
  readonly onceAnswered: readonly Point[];
  /** Done twice are exactly the effects whose worker died between doing and recording them; a tool's under one key. */
  readonly ledger: readonly string[];
}

const MADE = 'made 2/make#lathe-1';

const STORIES: readonly Story[] = [
  {
    of: 'an orchestrator: to start, to offer, to offer again, to end',
    untilItWaits: [before('orchestrator', 'RunStarted'), beforeOffer],
    onceAnswered: [beforeOffer, before('orchestrator', 'RunFinished')],
    ledger: ['thought', MADE, 'reported'],
  },
  {
    of: 'a worker whose node asks a model: from its start to its result, and the acknowledgement of that',
    untilItWaits: [
      before('node-workers', 'NodeStarted'),
      before('node-workers', 'ModelRequested'),
      before('node-workers', 'TokenDelta'),
      before('node-workers', 'ModelResponded'),
      before('node-workers', 'EffectRecorded'),
      before('node-workers', 'NodeFinished'),
      beforeAck,
    ],
    onceAnswered: [],
    ledger: ['thought', 'thought', MADE, 'reported'],
  },
  {
    of: 'a worker whose nodes use a tool and ask a person, from the intent to the answer',
    untilItWaits: [
      before('node-workers', 'ToolRequested'),
      before('node-workers', 'ToolFinished'),
      before('node-workers', 'NodeFinished'),
      before('node-workers', 'InputRequested'),
      before('node-workers', 'NodeSuspended'),
    ],
    onceAnswered: [
      before('node-workers', 'NodeStarted'),
      before('node-workers', 'NodeFinished'),
      before('node-workers', 'GraphEnded'),
      beforeAck,
    ],
    ledger: ['thought', MADE, MADE, 'reported'],
  },
];

/** What is to be stored is held and its process killed; the next point is set before another process starts. */
async function killAt<T>(
  { cluster, gate }: { cluster: Cluster; gate: PublishGate },
  points: readonly Point[],
  begin: () => Promise<T>,
): Promise<T> {
  const [first, ...rest] = points;
  let held = first && gate.hold(first.isHeld);
  const begun = await begin();
  for (const [at, { role }] of points.entries()) {
    await held;
    await Promise.all(cluster.of(role).map((killed) => cluster.kill(killed)));
    const next = rest[at];
    held = next && gate.hold(next.isHeld);
    await cluster.spawn(role);
  }
  return begun;
}

async function tell({ untilItWaits, onceAnswered, ledger }: Story): Promise<void> {
  const cluster = await Cluster.start({}, { AGENT_MODULES }, 1); // a gate stands before one server
  try {
    const killed = { cluster, gate: await cluster.putGate() };
    await Promise.all([cluster.spawn('orchestrator'), cluster.spawn('node-workers')]);
    const run = await killAt(killed, untilItWaits, () => cluster.request('workshop', { ledger: 'before' }));
    const asked = (await cluster.until(run, ({ kind }) => kind === 'NodeSuspended')).find(
      (event) => event.kind === 'InputRequested',
    )!;
    const answer = { requestId: asked.requestId, response: { text: 'Ada' }, by: 'ada' };
    await killAt(killed, onceAnswered, () => cluster.handler.handle({ kind: 'ProvideInput', ...run, ...answer }));

    const events = await cluster.ended(run);
    expectSoundStory(events);
    expect(events.at(-1)).toMatchObject({
      kind: 'RunFinished',
      output: { text: 'one two three four five six seven eight: a wheel for Ada' },
    });
    expect(cluster.ledger('before')).toEqual(ledger);
  } finally {
    await cluster.stop();
  }
}

describe('A run loses nothing, records nothing twice and ends once, killed with -9 just before each append of', () => {
  // At the same time, each on servers of its own: nearly all of it is waiting until a task is taken over.
  it.concurrent.each(STORIES)('$of', tell);
});
