import {
  eventFixture,
  LIVE_PREFIX,
  type RunEventKind,
  type RunRef,
  subjects,
  type ThreadRef,
} from '@millrace/contracts';

/** A message that none of our services wrote, or one that is no longer what it was. */
export interface Poison {
  /** What is wrong with it, for the title of a spec. */
  readonly sort: string;
  readonly subject: string;
  readonly data: string | Uint8Array;
  /** Only a store with headers can hold it. */
  readonly headers?: Readonly<Record<string, string>>;
}

const ANOTHER_RUN = '01JD0000000000000000000ZZZ';
const encode = (value: unknown): string => JSON.stringify(value);

/** Every way an event of the kind can be none: what a loop that is fed by `RUNS` may meet. */
export const eventPoisons = (run: RunRef, kind: RunEventKind): readonly Poison[] => {
  const subject = subjects.event({ ...run, kind });
  const event = { ...eventFixture(kind), ...run };
  const referenced = { input: { ref: `sha256-${'0'.repeat(64)}`, bytes: 3, mediaType: 'application/json' } };
  return [
    { sort: 'is no JSON', subject, data: 'no event' },
    { sort: 'is no UTF-8', subject, data: Uint8Array.of(0x7b, 0x80, 0x7d) },
    { sort: 'is empty', subject, data: '' },
    { sort: 'is of a kind nobody knows', subject, data: encode({ ...event, kind: 'RunTeleported' }) },
    { sort: 'is of a version nobody knows', subject, data: encode({ ...event, version: '99' }) },
    { sort: 'is an event of another run', subject, data: encode({ ...event, runId: ANOTHER_RUN }) },
    {
      ...{ sort: 'names a payload that is gone', subject, data: encode({ ...event, ...referenced }) },
      headers: { 'Millrace-Position': '0', 'Millrace-Sequence': '-1', 'Millrace-Referenced': 'input' },
    },
  ];
};

/** On a subject of a run that no kind of event has. */
export const strangeSubject = (run: RunRef): Poison => ({
  sort: 'lies on a subject of no kind',
  subject: subjects.run(run).replace(/\*$/, 'RunTeleported'),
  data: encode({ kind: 'RunTeleported' }),
});

export const threadPoisons = (thread: ThreadRef): readonly Poison[] => {
  const subject = subjects.threadEvent({ ...thread, kind: 'ThreadCreated' });
  return [
    { sort: 'is no JSON', subject, data: 'no thread' },
    {
      sort: 'is of a version nobody knows',
      subject,
      data: encode({ ...thread, kind: 'ThreadCreated', version: '99' }),
    },
  ];
};

/** What a worker may be given. */
export const taskPoisons = (run: RunRef): readonly Poison[] => {
  const subject = subjects.runTask(run);
  const task = { version: '1', work: 'run', ...run, agent: 'echo', agentVersion: '1', place: 1 };
  return [
    { sort: 'is no JSON', subject, data: 'no task' },
    { sort: 'is of a version nobody knows', subject, data: encode({ ...task, version: '99' }) },
    { sort: 'is for another run', subject, data: encode({ ...task, runId: ANOTHER_RUN }) },
    {
      ...{ sort: 'brings a history of another run', subject },
      data: encode({
        ...task,
        seed: { position: 0, sequence: -1, events: [{ ...eventFixture('RunRequested'), ...run, runId: ANOTHER_RUN }] },
      }),
    },
  ];
};

export const timerPoisons = ({ tenantId }: RunRef): readonly Poison[] => [
  { sort: 'names no run', subject: `timer.due.${tenantId}.nobody.ZGVhZGxpbmU`, data: '' },
  { sort: 'names no tenant', subject: 'timer.due.x', data: '' },
];

/** What reaches live subscribers only; nothing of it is stored. */
export const livePoisons = (run: RunRef): readonly Poison[] =>
  eventPoisons(run, 'TokenDelta').map((poison) => ({ ...poison, subject: `${LIVE_PREFIX}.${poison.subject}` }));
