import { ManualClock, type MemoryPlatform, memoryPlatform } from '@millrace/adapter-memory';
import { RunCommandHandler, RunOverseer } from '@millrace/application';
import type { RunEvent, RunRef } from '@millrace/contracts';
import type { Consuming, RunLog } from '@millrace/ports';
import { untilQuiet } from '../until-quiet.js';
import { consumeAsOrchestrator } from './memory-services.js';

const STEP_MS = 200;

/** A platform in memory, by a clock that is moved by hand, and the orchestrator on it; workers are opened by the spec. */
export class SpecPlatform {
  readonly clock = new ManualClock();
  readonly platform: MemoryPlatform = memoryPlatform({ clock: this.clock });
  readonly ports: MemoryPlatform & { readonly log: RunLog } = { ...this.platform, log: this.platform.runs };
  readonly handler = new RunCommandHandler(this.ports);
  readonly overseer = new RunOverseer(this.ports);

  openOrchestrator(): Promise<Consuming[]> {
    return consumeAsOrchestrator(this.platform, this.overseer);
  }

  /** All that can happen at this time has happened. */
  quiet(): Promise<void> {
    return untilQuiet(this.platform);
  }

  /** In small steps: what happens at one time may lead to something a little later. */
  async advance(ms = STEP_MS): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.clock.advance(Math.min(left, STEP_MS));
      await this.quiet();
    }
  }

  async events(ref: RunRef): Promise<RunEvent[]> {
    return (await this.platform.runs.read(ref)).events;
  }

  async kinds(ref: RunRef): Promise<RunEvent['kind'][]> {
    return (await this.events(ref)).map(({ kind }) => kind);
  }
}
