import type { RunCommand, SpokenFact } from '@millrace/run-domain';
import type { RunWriter } from '../run-writer.js';

/** How what a node says and asks for reaches the log. Once something was refused, all that follows is refused too. */
export class TaskVoice {
  #failure: { readonly error: unknown } | undefined;

  constructor(private readonly writer: RunWriter) {}

  say(fact: SpokenFact): void {
    if (!this.#failure) this.writer.say(fact, (error) => (this.#failure ??= { error }));
  }

  /** Rejects when it is refused, or when something said before it was. */
  async write(command: RunCommand): Promise<void> {
    this.check();
    await this.writer.write(command);
    this.check();
  }

  private check(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
