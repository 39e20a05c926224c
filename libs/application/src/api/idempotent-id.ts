import { RunId, type RunRef, type TenantId, ThreadId } from '@millrace/contracts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * The id of the run a tenant's key stands for. So the log itself is the memory of keys: who repeats a request asks for
 * the same run, and the compare-and-swap on its first event lets one of any number of twins make it, on whatever
 * instance, for as long as the run is kept. A table of keys could be lost, lag or expire apart from the runs.
 */
export const runIdOfKey = async (tenantId: TenantId, key: string): Promise<RunId> =>
  RunId.parse(await ulidOf(`run\n${tenantId}\n${key}`));

export const threadIdOfKey = async (tenantId: TenantId, key: string): Promise<ThreadId> =>
  ThreadId.parse(await ulidOf(`thread\n${tenantId}\n${key}`));

/** The run that is asked for by itself when this one fails: whoever asks, it is the same. */
export const automaticRetryOf = async ({ tenantId, runId }: RunRef): Promise<RunId> =>
  RunId.parse(await ulidOf(`retry\n${tenantId}\n${runId}`));

/** The run that improves this one before it is dispatched. */
export const improvementRunOf = async ({ tenantId, runId }: RunRef): Promise<RunId> =>
  RunId.parse(await ulidOf(`improvement\n${tenantId}\n${runId}`));

/** SHA-256 rather than a quick hash: a key is chosen by a client, and must not be made to hit another one's id. */
const ulidOf = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  // The first letter of a ULID holds three bits. One byte for each letter: 256 is a multiple of 8 and of 32.
  const letters = Array.from(
    new Uint8Array(digest).subarray(0, 26),
    (byte, at) => ALPHABET[byte % (at === 0 ? 8 : 32)],
  );
  return letters.join('');
};
