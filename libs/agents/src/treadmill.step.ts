import { nodeContext, type NodeContext } from '@millrace/agent-sdk';
import { PlatformError } from '@millrace/kernel';
import { note } from './ledger.js';
import { speak } from './speak.js';
import type { TreadmillInput } from './treadmill.input.js';

export class StepFailed extends PlatformError {
  readonly code = 'STEP_FAILED';
  readonly redelivery = 'retry';
}

export interface StepInput {
  readonly plan: TreadmillInput;
  /** How many steps are done. */
  readonly done: number;
  /** Which of the parallel ones this is. */
  readonly branch?: number;
}

export interface StepOutput {
  readonly done: number;
  readonly payload?: string;
  readonly answers?: string[];
}

/**
 * One step. In this order, so that a failure and a wait come after something that must not happen again (the ledger)
 * and something that is seen again (the tokens).
 */
export const runStep = async ({ plan, done, branch = 0 }: StepInput, ledgerFolder?: string): Promise<StepOutput> => {
  const context = nodeContext();
  const number = done + 1;
  await context.step('ledger', () => note(context, plan.ledgerFile, ledgerFolder));
  await speak(context, tokens(plan.tokensPerStep, number, branch), plan.tokensPerSecond);
  failIfPlanned(plan, number, context);
  const answers = plan.askAtStep === number ? { answers: [await ask(context, number, branch)] } : {};
  const payload = plan.bytesPerStep > 0 ? { payload: payloadOf(plan.bytesPerStep, number, branch) } : {};
  return { done: number, ...payload, ...answers };
};

function* tokens(count: number, number: number, branch: number): Generator<string> {
  for (let token = 1; token <= count; token++) yield `${number}.${branch}.${token} `;
}

/** By the attempt, which is in the log: every process counts the same. An attempt that died with its worker counts. */
const failIfPlanned = ({ failAtStep, failTimes = 1 }: TreadmillInput, number: number, context: NodeContext): void => {
  if (failAtStep !== number || context.attempt > failTimes) return;
  throw new StepFailed(`Step ${number} fails on attempt ${context.attempt} of ${failTimes} that are to fail`);
};

const ask = async (context: NodeContext, number: number, branch: number): Promise<string> => {
  const { text } = await context.suspend({ type: 'waitForInput', prompt: `Step ${number}.${branch}: how to go on?` });
  return text;
};

/** One byte for each character, and the same whoever makes it. */
const payloadOf = (bytes: number, number: number, branch: number): string =>
  `${number}.${branch} `.repeat(Math.ceil(bytes / 4)).slice(0, bytes);
