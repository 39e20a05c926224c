import { Snapshots } from '@millrace/ports';
import type { ProcessParts } from './process-parts.js';

export class MemorySnapshots extends Snapshots {
  constructor(private readonly parts: ProcessParts) {
    super();
  }

  async load(name: string): Promise<unknown> {
    const text = await this.parts.wire.ask('read', () => this.parts.store.snapshots.get(name));
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  }

  async save(name: string, value: unknown): Promise<void> {
    const text = JSON.stringify(value);
    await this.parts.wire.ask('write', () => this.parts.store.snapshots.set(name, text));
  }
}
