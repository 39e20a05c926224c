import {
  type AgentDefinition,
  NodeContractBroken,
  NodeSuspension,
  runWithinCall,
  type ToolCall,
  type ToolDefinition,
} from '@millrace/agent-sdk';
import type { Speaker } from './durable-context.js';
import type { TaskJournal } from './task-journal.js';
import type { Attempt } from './attempt.js';

interface ToolUse {
  readonly toolUseId: string;
  readonly name: string;
  readonly input: unknown;
}

interface ToolUseParts {
  readonly attempt: Attempt;
  readonly agent: AgentDefinition;
  readonly speaker: Speaker;
  readonly log: ToolCall['log'];
  /** Resolves with the input that was agreed to. */
  readonly approve: (toolUseId: string, input: unknown) => Promise<unknown>;
}

/** A tool said no. Recorded, and said again to a body that runs again. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
}

/** The recorded result, or the call: its intent is stored before it, its result before it is given. */
export async function callTool(use: ToolUse, parts: ToolUseParts): Promise<unknown> {
  const { attempt, agent, speaker, log } = parts;
  const { journal, ref, signal } = attempt;
  const { name } = use;
  const toolUseId = idOf(use.toolUseId, journal);
  const recorded = journal.tool(toolUseId);
  if (recorded?.ok) return recorded.output;
  const definition = agent.tools?.[name] as ToolDefinition<unknown> | undefined;
  if (!definition) throw new NodeContractBroken(`Agent ${agent.id} has no tool ${name}`);
  const asked = checked(definition, name, use.input);
  const needsApproval = isApprovalNeeded(definition, asked);
  if (recorded) {
    if (needsApproval) await parts.approve(toolUseId, asked); // throws again what a rejection threw
    throw new ToolFailed(recorded.error ?? 'The tool failed');
  }
  const call = { ...ref, ...speaker, toolUseId, tool: name };
  await attempt.write({ kind: 'RequestTool', ...call, input: asked, ...(needsApproval ? { needsApproval } : {}) });
  try {
    const input = needsApproval ? checked(definition, name, await parts.approve(toolUseId, asked)) : asked;
    const progress = (status: string) => void attempt.write({ kind: 'ProgressTool', ...call, status }).catch(() => {}); // the next write says why
    // Under its first id: a call made again because it failed is given the answers and steps it had.
    const run = () => definition.run(input, { idempotencyKey: toolUseId, signal, progress, log });
    const output = await runWithinCall(use.toolUseId, run);
    await attempt.write({ kind: 'FinishTool', ...call, ok: true, output: output ?? null });
    return output;
  } catch (error) {
    if (error instanceof NodeSuspension || signal.aborted) throw error;
    const message = error instanceof Error ? error.message : String(error);
    await attempt.write({ kind: 'FinishTool', ...call, ok: false, error: message });
    throw error;
  }
}

/** A call that made its attempt fail is made again under a new id: every request has exactly one response. */
const idOf = (base: string, journal: TaskJournal): string => {
  let id = base;
  for (let again = 2; journal.wasTried(id) && !journal.tool(id); again += 1) id = `${base}~${again}`;
  return id;
};

const isApprovalNeeded = ({ needsApproval = false }: ToolDefinition<unknown>, input: unknown): boolean =>
  typeof needsApproval === 'function' ? needsApproval(input) : needsApproval;

const checked = ({ inputSchema }: ToolDefinition<unknown>, name: string, input: unknown): unknown => {
  if (!inputSchema) return input;
  const parsed = inputSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || '(input)'}: ${message}`);
  throw new NodeContractBroken(`Input of tool ${name}: ${problems.join('; ')}`);
};
