import { z } from 'zod';
import * as lifecycle from './run-lifecycle.events.js';
import * as node from './node.events.js';
import * as speech from './speech.events.js';
import type { StampField } from './stamp.js';

/** Every fact a run's log can hold. */
export const RunEvent = z.discriminatedUnion('kind', [
  lifecycle.RunRequested,
  lifecycle.RunQueued,
  lifecycle.RunStarted,
  lifecycle.RunPaused,
  lifecycle.RunResumed,
  lifecycle.RunCancelRequested,
  lifecycle.GraphEnded,
  lifecycle.FollowUpDue,
  lifecycle.RunFinished,
  lifecycle.RunFailed,
  lifecycle.RunCanceled,
  lifecycle.PolicySwitched,
  lifecycle.CheckpointSaved,
  lifecycle.GoalAchieved,
  lifecycle.RetryRequested,
  lifecycle.ImprovementProvided,
  node.NodeScheduled,
  node.NodeStarted,
  node.NodeFinished,
  node.NodeRetryScheduled,
  node.NodeSuspended,
  node.EffectRecorded,
  node.AgentChanged,
  speech.TokenDelta,
  speech.ThoughtDelta,
  speech.ModelRequested,
  speech.ModelResponded,
  speech.ToolRequested,
  speech.ToolProgressed,
  speech.ToolFinished,
  speech.InputRequested,
  speech.InputProvided,
  speech.InputExpired,
  speech.MessageAdded,
  speech.SubagentProgressed,
  speech.SubagentFailed,
  speech.SubagentFinished,
  speech.SpecialistFinished,
  speech.GraphEdited,
  speech.LogWritten,
  speech.ProgressReported,
]);
export type RunEvent = z.infer<typeof RunEvent>;
export type RunEventKind = RunEvent['kind'];
export type RunEventOf<K extends RunEventKind> = Extract<RunEvent, { kind: K }>;

type EachOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** What a decision says, before the append stamps it with identity, order and time. */
export type RunFact = EachOmit<RunEvent, StampField>;
export type RunFactOf<K extends RunEventKind> = Extract<RunFact, { kind: K }>;

/** Every kind's schema, for readers that want one at a time (proto/, fixtures). */
export const schemaOf = (kind: RunEventKind): (typeof RunEvent.options)[number] => {
  const schema = RunEvent.options.find((option) => option.shape.kind.value === kind);
  if (!schema) throw new TypeError(`No schema for ${kind}`);
  return schema;
};
