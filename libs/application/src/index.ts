export { RunCommandHandler, type Handled } from './run-command-handler.js';
export { RunSession, type SessionPorts, type Store } from './run-session.js';
export { RunWriter, type WriterOptions } from './run-writer.js';
