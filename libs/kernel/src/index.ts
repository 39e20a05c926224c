export { assertNever } from './assert-never.js';
export { PlatformError, type Redelivery } from './platform-error.js';
export { ConfigInvalid } from './config-invalid.js';
