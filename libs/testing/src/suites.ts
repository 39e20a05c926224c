export { platformContract, type OpenedPlatform, type PlatformProcess } from './suites/platform.contract.js';
export { runLogContract, type OpenedRunLog } from './suites/run-log.contract.js';
export { llmContract, type OpenedLlm } from './suites/llm-port.contract.js';
export { agentCatalogueContract, type OpenedCatalogue } from './suites/agent-catalogue.contract.js';
