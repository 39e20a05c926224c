import type { RunFact } from '@millrace/contracts';
import { requireDispatched, requireSpeaker } from './guards.js';
import type { Say } from './run.commands.js';
import { RunRefused } from './run-refused.js';
import type { Run } from './run.state.js';

/** What a node says while it holds its task. What is named by an id or a key is kept once; the rest is said as often. */
export const say = (command: Say, run: Run): RunFact[] => {
  const { fact } = command;
  const task = requireSpeaker(command, fact, run);
  switch (fact.kind) {
    case 'EffectRecorded':
      return task.effects.has(fact.key) ? [] : [fact];
    case 'ModelResponded':
      return task.respondedCalls.has(fact.callId) ? [] : [fact];
    case 'PolicySwitched': {
      const { policy } = requireDispatched(command, run);
      if (policy === fact.toPolicy) return [];
      if (policy === fact.fromPolicy) return [fact];
      throw new RunRefused('POLICY_MISMATCH', command, `policy ${policy}, not ${fact.fromPolicy}`);
    }
    case 'TokenDelta':
    case 'ThoughtDelta':
    case 'ModelRequested':
    case 'MessageAdded':
    case 'SubagentProgressed':
    case 'SubagentFailed':
    case 'SubagentFinished':
    case 'SpecialistFinished':
    case 'GraphEdited':
    case 'LogWritten':
    case 'ProgressReported':
    case 'AgentChanged':
      return [fact];
  }
};
