import type { RunEvent, RunRef } from '@millrace/contracts';
import type { Run, RunCommand } from '@millrace/run-domain';
import { RunSession, type SessionPorts } from './run-session.js';

export interface Handled {
  readonly run: Run;
  /** Empty when the command was a repeat. */
  readonly appended: readonly RunEvent[];
}

/** One order to one run, from whoever holds nothing of it: load, decide, append. */
export class RunCommandHandler {
  constructor(private readonly ports: SessionPorts) {}

  async handle(command: RunCommand): Promise<Handled> {
    const isFirst = command.kind === 'RequestRun';
    const session = isFirst ? RunSession.unread(this.ports, command) : await RunSession.open(this.ports, command);
    const appended = await session.execute(command);
    return { run: session.run, appended };
  }

  /** The run as its history tells it now. */
  async load(ref: RunRef): Promise<Run> {
    return (await RunSession.open(this.ports, ref)).run;
  }
}
