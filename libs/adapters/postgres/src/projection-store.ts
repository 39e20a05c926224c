import { type EntityManager, raw } from '@mikro-orm/postgresql';
import type { Database } from './database.js';
import { PositionMoved } from './database-errors.js';
import { ProjectionPoison } from './entities/projection-poison.entity.js';
import { ProjectionPosition } from './entities/projection-position.entity.js';

/**
 * Invariants:
 * I1 rows and position change in one transaction, so an event is applied exactly once whatever crashes;
 * I2 a transaction begins by moving the position from where its batch begins. The row stays locked until the end, so
 *    of two projectors with the same batch one waits, finds the position moved and applies nothing.
 */
export class ProjectionStore {
  constructor(private readonly database: Database) {}

  /** The last stream sequence that was applied; 0 for a projection that begins. */
  async load(name: string): Promise<number> {
    return this.database.transaction(async (em) => {
      const begin = { name, streamSequence: 0, updatedAt: new Date() };
      const position = await em.upsert(ProjectionPosition, begin, { onConflictAction: 'ignore' });
      return position.streamSequence;
    });
  }

  /** How many events of the projection were set aside. */
  async countPoison(projection: string): Promise<number> {
    return this.database.transaction(async (em) => {
      await actAsProjector(em);
      return em.count(ProjectionPoison, { projection });
    });
  }

  /** Rejects with {@link PositionMoved}, and applies nothing, when the projection does not stand at `fromSequence`. */
  async commit(
    name: string,
    fromSequence: number,
    toSequence: number,
    work: (em: EntityManager) => Promise<void>,
  ): Promise<void> {
    await this.database.transaction(async (em) => {
      const here = { name, streamSequence: fromSequence };
      const next = { streamSequence: toSequence, updatedAt: raw('now()') };
      const moved = await em.nativeUpdate(ProjectionPosition, here, next); // I2
      if (moved !== 1) throw new PositionMoved(`Projection ${name} does not stand at ${fromSequence} any more`);
      await actAsProjector(em);
      await work(em); // I1
    });
  }
}

/** Row-level security lets the transaction see and write rows of all tenants, until it ends. */
const actAsProjector = (em: EntityManager) => em.execute(`select set_config('app.projector', 'on', true)`);
