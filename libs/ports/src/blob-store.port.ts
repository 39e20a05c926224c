import { PlatformError } from '@millrace/kernel';
import type { BlobRef, TenantId } from '@millrace/contracts';

/** Large payloads, named by their content, apart for each tenant. */
export abstract class BlobStore {
  /** Stores the bytes unless they are there already. Resolves once they are durable. */
  abstract put(tenantId: TenantId, bytes: Uint8Array, mediaType: string): Promise<BlobRef>;

  /**
   * Rejects with {@link BlobMissing} when the tenant has no such content, or when it does not match its name: never
   * because it cannot be read at present.
   */
  abstract get(tenantId: TenantId, ref: BlobRef): Promise<Uint8Array>;
}

/** It is lost: reading it again finds no more. */
export class BlobMissing extends PlatformError {
  readonly code = 'BLOB_MISSING';
  readonly redelivery = 'park';
}
