import type { StorePlace } from '@millrace/ports';
import type { DirectReader, StoredMessage } from './direct-reader.js';
import { ReplicaLag } from './replica-lag.js';

/** The message at a place that is known to hold one, though perhaps not yet on the replica that answers. */
export async function atKnownPlace(reader: DirectReader, place: StorePlace, what: string): Promise<StoredMessage> {
  const lag = new ReplicaLag(what, place);
  let message = await reader.at(place);
  while (!message) {
    await lag.missingAfter(undefined);
    message = await reader.at(place);
  }
  return message;
}
