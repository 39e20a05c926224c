import { RunId } from '@millrace/contracts';
import { PlatformError } from '@millrace/kernel';
import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Behind which run a page begins. Both parts: many runs may be of one moment, and ids need not sort by time. */
export interface RunPlace {
  readonly createdAt: string;
  readonly runId: string;
}

/** The cursor was made for another tenant, was changed, or was never made here. */
export class CursorInvalid extends PlatformError {
  readonly code = 'CURSOR_INVALID';
  readonly redelivery = 'park';
}

/**
 * The seal ties the cursor to its tenant and shows a changed one. It is no secret: whoever forges one finds a place in
 * the list of his own tenant, which is all the database shows him.
 */
export const runCursor = (tenantId: string, { createdAt, runId }: RunPlace): string =>
  Buffer.from(JSON.stringify([createdAt, runId, sealOf(tenantId, createdAt, runId)])).toString('base64url');

export function placeIn(cursor: string, tenantId: string): RunPlace {
  const sealed = Sealed.safeParse(jsonIn(cursor));
  const [createdAt, runId, seal] = sealed.data ?? [];
  if (createdAt === undefined || runId === undefined || seal !== sealOf(tenantId, createdAt, runId)) {
    throw new CursorInvalid('The cursor is none of this list: begin again without one');
  }
  return { createdAt, runId };
}

const Sealed = z.tuple([z.iso.datetime(), RunId, z.string()]);

const sealOf = (tenantId: string, createdAt: string, runId: string): string =>
  createHash('sha256')
    .update(JSON.stringify(['runs', tenantId, createdAt, runId]))
    .digest('base64url')
    .slice(0, 22);

function jsonIn(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined; // which is no place either
  }
}
