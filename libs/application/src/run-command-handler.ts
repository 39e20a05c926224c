import type { RunEvent, RunRef } from '@millrace/contracts';
import type { AtLeast } from '@millrace/ports';
import type { Run, RunCommand } from '@millrace/run-domain';
import { RunSession, type SessionPorts } from './run-session.js';

export interface Handled {
  readonly run: Run;
  /** Empty when the command was a repeat. */
  readonly appended: readonly RunEvent[];
}

/** One order to one run, from a caller that holds nothing of it: load, decide, append. */
export class RunCommandHandler {
  constructor(private readonly ports: SessionPorts) {}

  /** A caller that was told of an event of the run names its place. */
  async handle(command: RunCommand, atLeast?: AtLeast): Promise<Handled> {
    const isFirst = command.kind === 'RequestRun';
    const session = isFirst
      ? RunSession.unread(this.ports, command)
      : await RunSession.open(this.ports, command, { atLeast });
    const appended = await session.execute(command);
    return { run: session.run, appended };
  }

  /** The run as its history tells it now. */
  async load(ref: RunRef): Promise<Run> {
    return (await RunSession.open(this.ports, ref, { atLeast: 'now' })).run;
  }
}
