export { runLogContract, type OpenedRunLog } from './suites/run-log.contract.js';
export { blobStoreContract, type OpenedBlobStore } from './suites/blob-store.contract.js';
export { llmContract, type OpenedLlm } from './suites/llm-port.contract.js';
