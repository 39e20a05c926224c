export { runLogContract, type OpenedRunLog } from './suites/run-log.contract.js';
export { blobStoreContract, type OpenedBlobStore } from './suites/blob-store.contract.js';
