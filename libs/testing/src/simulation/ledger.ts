import { callAround, nodeContext } from '@millrace/agent-sdk';
import type { RunEvent } from '@millrace/contracts';

/** Something the world saw a worker do. */
interface Deed {
  readonly runId: string;
  readonly taskKey: string;
  readonly attempt: number;
  readonly what: 'body' | 'model' | 'tool' | 'effect';
  /** Which one of the task's, whatever attempt does it. */
  readonly key: string;
}

/** What was really done, beside what the log says of it. */
export class Ledger {
  readonly #deeds: Deed[] = [];

  /** To be called by what a body calls. */
  did(what: Deed['what']): void {
    const { runId, taskKey, attempt } = nodeContext();
    this.#deeds.push({ runId, taskKey, attempt, what, key: callAround() ?? taskKey });
  }

  get size(): number {
    return this.#deeds.length;
  }

  /**
   * What an attempt did although its result was in the log when the attempt began. What was stored while it worked may
   * be done twice: its worker stood still, and another one had gone on.
   */
  doneAgain(runId: string, events: readonly RunEvent[]): string[] {
    const own = this.#deeds.filter((deed) => deed.runId === runId);
    const bodies = own.filter(({ what }) => what === 'body').map(({ taskKey, attempt }) => `${taskKey} ${attempt}`);
    const twice = bodies.filter((body, at) => bodies.indexOf(body) !== at);
    return [
      ...twice.map((body) => `attempt ${body} had two bodies`),
      ...own.flatMap((deed) => {
        const began = events.find(
          (event) => event.kind === 'NodeStarted' && event.taskKey === deed.taskKey && event.attempt === deed.attempt,
        );
        if (!began) return [`${describe(deed)} was done by an attempt the log does not know`];
        const isKnown = events.slice(0, began.position).some((event) => isResultOf(event, deed));
        return isKnown ? [`${describe(deed)} was done again`] : [];
      }),
    ];
  }
}

const isResultOf = (event: RunEvent, { what, key, taskKey }: Deed): boolean => {
  switch (what) {
    case 'body':
      return event.kind === 'NodeFinished' && event.taskKey === taskKey;
    case 'model':
      return event.kind === 'ModelResponded' && event.callId === key;
    case 'tool':
      return event.kind === 'ToolFinished' && event.ok && event.toolUseId.replace(/~\d+$/, '') === key;
    case 'effect':
      return event.kind === 'EffectRecorded' && event.taskKey === taskKey && `${taskKey}#step:${event.key}` === key;
  }
};

const describe = ({ what, key, attempt }: Deed): string => `${what} ${key} in attempt ${attempt}`;
