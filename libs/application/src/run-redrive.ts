import { RunId, type RunRef, TenantId } from '@millrace/contracts';
import { RunRefused } from '@millrace/run-domain';
import { RunCommandHandler } from './run-command-handler.js';
import type { SessionPorts } from './run-session.js';

export interface Redriven {
  /** The run that failed, with the history that tells why. */
  readonly failed: RunRef;
  /** The one that was asked for in its place. */
  readonly run: RunRef;
}

/** Asks again for what failed: a run that has ended stays as it is, and a new one is linked to it. */
export class RunRedrive {
  readonly #handler: RunCommandHandler;

  constructor(
    private readonly ports: SessionPorts,
    private readonly newRunId: () => RunId,
  ) {
    this.#handler = new RunCommandHandler(ports);
  }

  /** The dead letter of a run, or a task, that could not be finished: its body names the run. */
  async redriveLetter(letter: { readonly data: Uint8Array }, by: string, note?: string): Promise<Redriven> {
    const { tenantId, runId } = JSON.parse(new TextDecoder().decode(letter.data)) as Record<keyof RunRef, unknown>;
    return this.redrive({ tenantId: TenantId.parse(tenantId), runId: RunId.parse(runId) }, by, note);
  }

  async redrive({ tenantId, runId }: RunRef, by: string, note?: string): Promise<Redriven> {
    const failed = { tenantId, runId };
    const { events } = await this.ports.log.read(failed, undefined, { atLeast: 'now' });
    const requested = events.find((event) => event.kind === 'RunRequested');
    if (!requested) throw new RunRefused('RUN_NOT_FOUND', failed);
    await this.#handler.handle({ kind: 'RequestRetry', ...failed, by, ...(note === undefined ? {} : { note }) });
    const run = { tenantId, runId: this.newRunId() };
    const { agent, appId, policy, input, seedState, threadId, projectId, userId } = requested;
    await this.#handler.handle({
      ...{ kind: 'RequestRun', ...run, agent, appId, policy, input, userId, retryOf: runId },
      ...(seedState === undefined ? {} : { seedState }),
      ...(threadId === undefined ? {} : { threadId }),
      ...(projectId === undefined ? {} : { projectId }),
    });
    return { failed, run };
  }
}
