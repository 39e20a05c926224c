/**
 * What a browser needs of the contracts while it runs: tables and functions without zod. Schemas and everything that
 * parses stay behind the main door; types may be imported from there, since they leave nothing in a bundle.
 */
export { classify, isInternalTool, isPublic, type Classifiable, type Classification } from './classification.js';
export {
  isRunEventKind,
  isTerminal,
  KINDS,
  RUN_EVENT_KINDS,
  TERMINAL_KINDS,
  type TerminalKind,
  type Visibility,
} from './kinds.js';
export { CLOSING_EVENT, firstSequenceOf, type MergedDelta, type PublicEvent } from './wire/public-event.js';
