import { bytesOf, type MemoryPlatform } from '@millrace/adapter-memory';
import { decodeRunEvent, isPublic, isTerminal, parseSubject, type RunEvent } from '@millrace/contracts';
import type { DeadLetter } from '@millrace/ports';
import { lawsBroken } from '../builders/laws/laws-broken.js';
import type { PoisonedRuns } from './poisoned-runs.js';
import { AGENTS } from './simulated-agents.js';
import type { SimulatedClient } from './simulated-clients.js';
import type { World } from './simulated-processes.js';

export interface Outcome {
  readonly world: World;
  readonly clients: readonly SimulatedClient[];
  /** All runs have ended, and nothing is on its way any more. */
  readonly isOver: boolean;
  /** No process was killed, stopped or stood still. */
  readonly wasCalm: boolean;
}

/** All that must hold when it is over, whatever went wrong meanwhile. */
export const judge = ({ world, clients, isOver, wasCalm }: Outcome): void => {
  const { platform, ledger, database, poisoned, found } = world;
  const histories = historiesIn(platform, poisoned);
  if (!isOver) {
    for (const [name, { open }] of Object.entries(platform.store.consumers)) {
      if (open.length > 0) found(`consumer ${name} is not done with ${open.map(({ subject }) => subject).join(', ')}`);
    }
    if (database.position < platform.store.runs.lastPlace) found(`rows end at ${database.position}`);
  }
  for (const [runId, events] of histories) {
    const about = (what: string) => found(`run ${runId} (${agentOf(events)}): ${what}`);
    for (const law of lawsBroken(events)) about(`broken: ${law}`);
    for (const deed of ledger.doneAgain(runId, events)) about(deed);
    if (wasCalm) for (const start of needlessStarts(events)) about(start);
    const wrong = wrongEndOf(events);
    if (wrong) about(wrong);
    if (isOver && !database.agrees(runId, events)) about('its rows are not those of its history');
  }
  for (const { run, seen, plan } of clients) {
    const events = (run && histories.get(run.runId)) ?? [];
    const told = events.filter(isPublic).slice(0, seen.length);
    if (JSON.stringify(seen) !== JSON.stringify(told)) found(`the client of ${plan.key} saw another story`);
    if (isOver && seen.length !== events.filter(isPublic).length) found(`the client of ${plan.key} missed something`);
  }
  for (const letter of platform.store.deadLetters.messages) {
    const { reason, subject } = letter.headers as Pick<DeadLetter, 'reason' | 'subject'>;
    if (!reason.startsWith('MAX_RETRIES_EXCEEDED') && !poisoned.owns(subject))
      found(`dead letter: ${letter.subject}: ${subject}: ${reason}`);
  }
};

/** Of the truth, whatever replicas say. */
export const historiesIn = ({ store }: MemoryPlatform, poisoned: PoisonedRuns): Map<string, RunEvent[]> => {
  const histories = new Map<string, RunEvent[]>();
  for (const message of store.runs.messages) {
    const about = parseSubject(message.subject);
    if (about?.type !== 'run' || poisoned.has(about.runId)) continue;
    const event = decodeRunEvent(bytesOf(message));
    const history = histories.get(about.runId);
    if (history) history.push(event);
    else histories.set(about.runId, [event]);
  }
  return histories;
};

/** Attempts that began while the one before was in hand: without a worker that is gone there is no reason to. */
const needlessStarts = (events: readonly RunEvent[]): string[] => {
  const inHand = new Set<string>();
  return events.flatMap((event) => {
    if (event.kind === 'NodeRetryScheduled' || event.kind === 'NodeSuspended') inHand.delete(event.taskKey);
    if (event.kind !== 'NodeStarted') return [];
    const isNeedless = inHand.has(event.taskKey);
    inHand.add(event.taskKey);
    return isNeedless ? [`${event.taskKey} was begun again while a worker had it`] : [];
  });
};

const agentOf = ([first]: readonly RunEvent[]): string => (first?.kind === 'RunRequested' ? first.agent : '?');

const wrongEndOf = (events: readonly RunEvent[]): string | undefined => {
  const end = events.find(isTerminal);
  if (!end) return `it has not ended: ${events.map(({ kind }) => kind).join(' ')}`;
  const isCanceled = events.some(({ kind }) => kind === 'RunCancelRequested');
  if (isCanceled !== (end.kind === 'RunCanceled')) return `it ends with ${end.kind}`;
  const isDone = events.some(({ kind, position }) => kind === 'GoalAchieved' && position < end.position);
  if (isCanceled || isDone) return undefined;
  const agent = AGENTS[agentOf(events)];
  if (!agent) return 'no worker has its agent';
  if (end.kind === 'RunFailed') {
    if (agent.ends === 'RunFinished' || end.errorCode !== 'MAX_RETRIES_EXCEEDED')
      return `it failed: ${end.errorCode} ${end.reason}`;
    return undefined;
  }
  if (end.kind !== 'RunFinished' || agent.ends === 'RunFailed') return `it ends with ${end.kind}`;
  const { text } = end.output as { text: string };
  return agent.says !== undefined && agent.says !== text ? `it says ${text}` : undefined;
};
