import type { AgentDefinition } from '@millrace/agent-sdk';
import { echo } from './echo.agent.js';
import { LEDGER_FOLDER } from './ledger.js';
import { createTreadmill } from './treadmill.agent.js';

export { ActionUnclear, createChooseAction } from './choose-action.node.js';
export { echo } from './echo.agent.js';
export { LEDGER_FOLDER, LedgerRefused } from './ledger.js';
export { createTreadmill } from './treadmill.agent.js';
export { TreadmillInput } from './treadmill.input.js';
export { StepFailed } from './treadmill.step.js';

export const treadmill = createTreadmill({ ledgerFolder: process.env[LEDGER_FOLDER] });

/** The agents we ship: for `new AgentRegistry(agents)`, and for loadAgents, which finds them by this name. */
export const agents: AgentDefinition[] = [echo, treadmill];
