import { agentDialect } from './agent.dialect.js';
import type { Dialect } from './frame.js';
import { nativeDialect } from './native.dialect.js';
import { threadDialect } from './thread.dialect.js';

export const DIALECTS = { native: nativeDialect, agent: agentDialect, thread: threadDialect } as const satisfies Record<
  string,
  Dialect
>;
export type DialectName = keyof typeof DIALECTS;
