export { malformedEvents, type MalformedEvent } from './malformed-events.js';
