import type { EntityManager, Poison } from '@millrace/adapter-postgres';
import type { RunEventKind } from '@millrace/contracts';
import type { StoredEvent } from '@millrace/ports';

/** Tables that are a fold of the log. Dropped and projected again, they hold the same rows. */
export interface Projection {
  /** Under which its position is stored. */
  readonly name: string;
  /** Kinds that change none of its tables; they are not even read. */
  readonly exclude: readonly RunEventKind[];
  /**
   * Runs inside the transaction that moves the position: it writes rows through `em` and does nothing else. Resolves
   * with what it could not apply and has set aside.
   */
  apply(em: EntityManager, batch: readonly StoredEvent[]): Promise<readonly Poison[]>;
}
