import type { RefusalCode, RunFact } from '@millrace/contracts';
import { decide, RunRefused, type Run, type RunCommand } from '@millrace/run-domain';

/** The facts, or the code of the refusal. Any other error is a defect, and is thrown. */
export const decideOrRefuse = (command: RunCommand, run: Run): RunFact[] | RefusalCode => {
  try {
    return decide(command, run);
  } catch (error) {
    if (error instanceof RunRefused) return error.code;
    throw error;
  }
};
