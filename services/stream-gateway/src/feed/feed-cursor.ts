import type { TenantId } from '@millrace/contracts';
import { RequestInvalid } from '@millrace/nest-kit/http';

/** A place in the log, as clients keep it: it says nothing to them, and is good for one tenant. */
export const cursorAt = (tenantId: TenantId, streamSequence: number): string =>
  Buffer.from(`${tenantId}/${streamSequence.toString(36)}`).toString('base64url');

/** The place in a cursor; one that was made for somebody else, or by nobody, is refused by the name of its field. */
export const placeIn = (cursor: string, tenantId: TenantId, field: string): number => {
  const [owner, place = ''] = Buffer.from(cursor, 'base64url').toString().split('/');
  const sequence = /^[0-9a-z]{1,11}$/.test(place) ? Number.parseInt(place, 36) : Number.NaN;
  if (owner !== tenantId || !Number.isSafeInteger(sequence)) {
    throw new RequestInvalid([{ field, message: 'must be the id of an event of this feed' }]);
  }
  return sequence;
};
