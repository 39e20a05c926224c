import { type RunEvent, RunId } from '@millrace/contracts';
import { absent, decide, evolve, type RunCommand } from '@millrace/run-domain';
import * as to from './commands.js';
import { effectRecorded, messageAdded, modelRequested, modelResponded, policySwitched, tokenDelta } from './facts.js';
import { stored } from './stored.js';
import { aTask, requestIdOf, speakerOf } from './tasks.js';

/** The events of the orders, decided one after the other. An order that is refused spoils the script, and throws. */
export const recordHistory = (orders: readonly RunCommand[]): RunEvent[] => {
  let run = absent;
  const facts = orders.flatMap((order) => {
    const decided = decide(order, run);
    run = decided.reduce(evolve, run);
    return decided;
  });
  return stored(facts);
};

const plan = (attempt: number) => speakerOf('1/plan', attempt);
const write = (index: number) => speakerOf(`2/write[${index}]`);
const search = { tool: 'search', toolUseId: '1/plan#search' };
const remove = { tool: 'delete_page', toolUseId: '1/plan#delete_page' };
const page = { input: { page: 7 } };
const approval = { type: 'toolApproval', ...remove, ...page } as const;
const transfer = { tool: 'transfer_to_critic', toolUseId: '2/write[1]#transfer_to_critic' };

/**
 * The stories behind `histories/*.json`, as orders: `node write-histories.mjs` plays each one that has no
 * file yet. A recorded file is never written again, since it stands for what a log out there holds; when the events
 * change, add another story.
 */
export const HISTORY_SCRIPTS: { readonly [name: string]: readonly RunCommand[] } = {
  'one-node-finished': [
    to.requestRun(),
    to.startRun(),
    to.scheduleNodes(),
    to.startNode(),
    to.say(modelRequested()),
    to.say(tokenDelta({ text: 'hel' })),
    to.say(tokenDelta({ text: 'lo' })),
    to.say(modelResponded()),
    to.say(messageAdded()),
    to.finishNode(),
    to.finishRun({ toolsUsed: [] }),
  ],
  'moved-by-one-worker': [
    to.requestRun(),
    to.startRun(),
    to.startNode({ ...plan(1), scheduled: { inputHash: aTask().inputHash } }),
    to.startNode({ ...plan(2), scheduled: { inputHash: aTask().inputHash } }), // its worker died
    to.say(tokenDelta({ ...plan(2), text: 'hello' })),
    to.finishNode(plan(2)),
    to.scheduleNodes({ tasks: [aTask('2/write[0]'), aTask('2/write[1]')] }),
    to.startNode(write(0)),
    to.startNode(write(1)),
    to.finishNode(write(1)),
    to.finishNode(write(0)),
    to.saveCheckpoint({ iteration: 2 }),
    to.endGraph(),
    to.finishRun({ toolsUsed: [] }),
  ],
  'improves-another': [
    to.requestRun({ improves: RunId.parse('01JD0000000000000000000099') }),
    to.startRun(),
    to.startNode({ ...plan(1), scheduled: { inputHash: aTask().inputHash } }),
    to.finishNode(plan(1)),
    to.endGraph(),
    to.finishRun({ toolsUsed: [] }), // announces the end first
  ],
  'retried-approved-canceled': [
    to.requestRun({ idempotencyKey: 'order-1', projectId: 'atlas' }),
    to.queueRun(),
    to.startRun(),
    to.scheduleNodes({ tasks: [aTask('1/plan')] }),
    to.startNode(plan(1)),
    to.requestTool({ ...plan(1), ...search }),
    to.progressTool({ ...plan(1), ...search }),
    to.finishTool({ ...plan(1), ...search }),
    to.say(effectRecorded(plan(1))),
    to.scheduleRetry({ ...plan(1), retryAt: '2026-01-12T10:00:10.000Z' }),
    to.startNode(plan(2)),
    to.requestTool({ ...plan(2), ...search }), // had its answer: nothing is stored
    to.requestTool({ ...plan(2), ...remove, ...page, needsApproval: true }),
    to.requestInput({ ...plan(2), requestId: requestIdOf(7), request: approval }),
    to.suspendNode({ ...plan(2), requestIds: [requestIdOf(7)] }),
    to.pauseRun(),
    to.provideInput({ requestId: requestIdOf(7), response: { decision: 'approve' } }),
    to.resumeRun(),
    to.startNode(plan(3)),
    to.finishTool({ ...plan(3), ...remove, ok: true, output: { removed: true } }),
    to.say(policySwitched(plan(3))),
    to.finishNode(plan(3)),
    to.saveCheckpoint({ iteration: 1 }),
    to.scheduleNodes({ tasks: [aTask('2/write[0]'), aTask('2/write[1]')] }),
    to.startNode(write(0)),
    to.startNode(write(1)),
    to.requestTool({ ...write(0), tool: 'search', toolUseId: '2/write[0]#search' }),
    to.requestTool({ ...write(1), ...transfer }),
    to.finishNode(write(1)), // answers the transfer, which nobody will
    to.cancelRun(),
    to.confirmCancel(), // answers the search
    to.requestRetry(),
  ],
  'expired-and-failed': [
    to.requestRun(),
    to.startRun(),
    to.scheduleNodes(),
    to.startNode(),
    to.requestInput({ expiresAt: '2026-01-12T11:00:00.000Z' }),
    to.suspendNode(),
    to.expireInput(),
    to.startNode(plan(2)),
    to.requestTool(plan(2)),
    to.scheduleRetry({ ...plan(2), retryAt: '2026-01-12T10:00:10.000Z' }),
    to.startNode(plan(3)),
    to.failRun(), // answers the tool
    to.achieveGoal(),
  ],
};
