import {
  INPUT_RESPONSES,
  type InputRequest,
  type RequestId,
  type RunEvent,
  type RunFactOf,
  type RunId,
  type RunRef,
  type RunStatus,
  type TenantId,
} from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import { hasEnded, openInputs, type Run, type RunCommand, RunRefused } from '@millrace/run-domain';
import { RunCommandHandler } from '../run-command-handler.js';
import { RunSession, type SessionPorts } from '../run-session.js';
import type { AgentChecks } from './agent-checks.js';
import { runIdOfKey } from './idempotent-id.js';

/** Who asks, as a verified token says. */
export interface Caller {
  readonly tenantId: TenantId;
  readonly userId: string;
}

type Requested = RunFactOf<'RunRequested'>;
/** What an order stands for when its dialect, or its author, leaves something out. */
export type RunDefaults = Pick<Requested, 'agent' | 'appId' | 'policy'>;
export type RunOrder = Partial<RunDefaults> &
  Pick<Requested, 'seedState' | 'threadId' | 'projectId' | 'retryOnFailure'> & { readonly input?: unknown };

/** The answer has not the shape its request asks for. */
export class AnswerInvalid extends PlatformError {
  readonly code = 'VALIDATION_FAILED';
  readonly redelivery = 'park';

  constructor(readonly problems: readonly { readonly field: string; readonly message: string }[]) {
    super('The answer has not the shape its request asks for');
  }
}

/** What a caller may order of runs. Every dialect is a spelling of these. */
export class RunOrders {
  readonly #handler: RunCommandHandler;

  constructor(
    private readonly ports: SessionPorts,
    private readonly newRunId: () => RunId,
    private readonly defaults: RunDefaults,
    private readonly agents: Pick<AgentChecks, 'requireInput'>,
  ) {
    this.#handler = new RunCommandHandler(ports);
  }

  /**
   * With a key, a repeat resolves with the run that is there, whatever the defaults have become since; rejects with
   * RUN_EXISTS when it asks for another. Rejects before anything is stored with AGENT_NOT_FOUND for an agent that nobody
   * ever announced, and with INPUT_INVALID for an input its schema refuses.
   */
  async start({ tenantId, userId }: Caller, order: RunOrder, key?: string): Promise<RunId> {
    const runId = await this.runIdFor(tenantId, key);
    const { agent = this.defaults.agent, appId = this.defaults.appId, policy = this.defaults.policy } = order;
    const input = order.input ?? null; // an event has no word for what was left out
    await this.requireInput(agent, input, { tenantId, runId }, key);
    const asked = { ...order, agent, appId, policy, input, userId };
    const named = key === undefined ? {} : { idempotencyKey: key, ...defaultedIn(order) };
    await this.#handler.handle({ kind: 'RequestRun', tenantId, runId, ...asked, ...named });
    return runId;
  }

  cancel(caller: Caller, runId: RunId, reason?: string): Promise<RunStatus> {
    return this.order({ kind: 'CancelRun', ...ref(caller, runId), requestedBy: caller.userId, ...given({ reason }) });
  }

  pause(caller: Caller, runId: RunId, reason?: string): Promise<RunStatus> {
    return this.order({ kind: 'PauseRun', ...ref(caller, runId), by: caller.userId, ...given({ reason }) });
  }

  resume(caller: Caller, runId: RunId, reason?: string): Promise<RunStatus> {
    return this.order({ kind: 'ResumeRun', ...ref(caller, runId), by: caller.userId, ...given({ reason }) });
  }

  done(caller: Caller, runId: RunId, note?: string): Promise<RunStatus> {
    return this.order({ kind: 'AchieveGoal', ...ref(caller, runId), by: caller.userId, ...given({ note }) });
  }

  async answer(caller: Caller, runId: RunId, requestId: RequestId, response: unknown): Promise<RunStatus> {
    let request: InputRequest | undefined;
    const remember = (event: RunEvent): void => {
      if (event.kind === 'InputRequested' && event.requestId === requestId) request = event.request;
    };
    // All of it: an answer is checked against the request it answers.
    const session = await RunSession.open(this.ports, ref(caller, runId), { atLeast: 'now', onEvent: remember });
    // One the run does not wait for, or no longer, is refused for that, whatever the answer looks like.
    const isOpen = !hasEnded(session.run) && openInputs(session.run).some((open) => open.requestId === requestId);
    if (isOpen && request) requireShape(request, response);
    await session.execute({ kind: 'ProvideInput', ...session.ref, requestId, response, by: caller.userId });
    return statusIn(session.run, session.ref);
  }

  /** A repeat is answered as it was the first time, whatever the agent takes by now. */
  private async requireInput(agent: string, input: unknown, run: RunRef, key: string | undefined): Promise<void> {
    try {
      await this.agents.requireInput(agent, input);
    } catch (refusal) {
      if (key === undefined) throw refusal;
      const { position } = await this.ports.log.tail(run, { atLeast: 'now' });
      if (position < 0) throw refusal;
    }
  }

  private async order(command: RunCommand): Promise<RunStatus> {
    const { run } = await this.#handler.handle(command);
    return statusIn(run, command);
  }

  private async runIdFor(tenantId: TenantId, key: string | undefined): Promise<RunId> {
    return key === undefined ? this.newRunId() : runIdOfKey(tenantId, key);
  }
}

const ref = ({ tenantId }: Caller, runId: RunId): RunRef => ({ tenantId, runId });

const defaultedIn = (order: RunOrder): Pick<Requested, 'defaulted'> => {
  const defaulted = (['agent', 'appId', 'policy'] as const).filter((name) => order[name] === undefined);
  return defaulted.length === 0 ? {} : { defaulted };
};

const given = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;

const statusIn = (run: Run, of: RunRef): RunStatus => {
  if (run.status === 'ABSENT') throw new RunRefused('RUN_NOT_FOUND', of);
  return run.status;
};

const requireShape = (request: InputRequest, response: unknown): void => {
  const parsed = INPUT_RESPONSES[request.type].safeParse(response);
  if (!parsed.success) {
    throw new AnswerInvalid(
      parsed.error.issues.map(({ path, message }) => ({ field: ['response', ...path].join('.'), message })),
    );
  }
  if (request.type !== 'waitForChoice') return;
  const { choice } = INPUT_RESPONSES.waitForChoice.parse(response);
  if (request.choices.some(({ id }) => id === choice)) return;
  const offered = request.choices.map(({ id }) => id).join(', ');
  throw new AnswerInvalid([{ field: 'response.choice', message: `must be one of ${offered}` }]);
};
