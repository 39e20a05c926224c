import type { MemoryPlatform, SeededRandom } from '@millrace/adapter-memory';
import { eventFixture, RUN_EVENT_KINDS, RunId, type RunRef, subjects, TenantId } from '@millrace/contracts';
import { eventPoisons } from '../poisons.js';

const tenantId = TenantId.parse('01JH00000000000000000000TP');

/** Runs that no service can serve: a message in their history is no event. They may fail in any way, and stop no other run. */
export class PoisonedRuns {
  readonly #ids = new Set<string>();

  constructor(
    private readonly platform: MemoryPlatform,
    private readonly random: SeededRandom,
  ) {}

  has(runId: string | undefined): boolean {
    return runId !== undefined && this.#ids.has(runId);
  }

  /** Whether a message on the subject belongs to one of them. */
  owns(subject: string): boolean {
    return subject.split('.').some((token) => this.#ids.has(token));
  }

  /** A run of a known agent is asked for at some time, and what no service can read is stored right behind its request. */
  plant(agent: string): void {
    const { platform, random } = this;
    const run: RunRef = { tenantId, runId: RunId.parse(`01JH0000000000000000000P${random.between(10, 99)}`) };
    this.#ids.add(run.runId);
    const kind = RUN_EVENT_KINDS[random.below(RUN_EVENT_KINDS.length)]!;
    const poisons = eventPoisons(run, kind).filter(({ headers }) => headers === undefined);
    const poison = poisons[random.below(poisons.length)]!;
    platform.time.at(platform.time.nowMs() + random.below(3_000), () => {
      const requested = { ...eventFixture('RunRequested'), ...run, agent };
      platform.store.runs.store({ subject: subjects.event(requested), data: JSON.stringify(requested) });
      platform.store.runs.store(poison);
    });
  }
}
