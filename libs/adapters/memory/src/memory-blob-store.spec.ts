import { blobStoreContract } from '@millrace/testing/suites';
import { InMemoryBlobStore } from './memory-blob-store.js';

blobStoreContract('memory', async () => ({ blobs: new InMemoryBlobStore(), close: async () => {} }));
