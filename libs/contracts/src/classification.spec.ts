import { describe, expect, it } from '@jest/globals';
import { classify, INTERNAL_TOOL_PREFIXES, isInternalTool, isPublic } from './classification.js';
import { eventFixture, FACT_FIXTURES } from './fixtures.js';
import { isRunEventKind, isTerminal, KINDS, RUN_EVENT_KINDS, TERMINAL_KINDS, TRANSIENT_SIGNALS } from './kinds.js';
import { RunEvent } from './events/run-event.js';

const INTERNAL = [
  'RunRequested',
  'RunQueued',
  'CheckpointSaved',
  'GraphEnded',
  'FollowUpDue',
  'GoalAchieved',
  'RetryRequested',
  'ImprovementProvided',
  'NodeScheduled',
  'NodeSuspended',
  'EffectRecorded',
  'AgentChanged',
];

describe('classify', () => {
  it.each(RUN_EVENT_KINDS)('says the same of %s as a fact, as an event and after the wire', (kind) => {
    const { visibility, persistence } = KINDS[kind];
    const event = eventFixture(kind);
    expect(classify(FACT_FIXTURES[kind])).toEqual({ visibility, persistence });
    expect(classify(event)).toEqual({ visibility, persistence });
    expect(classify(JSON.parse(JSON.stringify(event)) as RunEvent)).toEqual({ visibility, persistence });
  });

  it('hides exactly the kinds that are for audit', () => {
    expect(RUN_EVENT_KINDS.filter((kind) => !isPublic({ kind })).sort()).toEqual([...INTERNAL].sort());
  });

  it.each(INTERNAL_TOOL_PREFIXES)('hides the tools that begin with %s, and only those', (prefix) => {
    expect(classify({ kind: 'ToolRequested', tool: `${prefix}critic` })).toEqual({
      visibility: 'internal',
      persistence: 'sync',
    });
    expect(isInternalTool(`my_${prefix}critic`)).toBe(false);
    expect(isInternalTool(prefix.toUpperCase())).toBe(false);
  });

  it('stores no signal that is made for the wire', () => {
    for (const kind of TRANSIENT_SIGNALS) {
      expect(classify({ kind })).toEqual({ visibility: 'public', persistence: 'transient' });
      expect(isRunEventKind(kind)).toBe(false);
    }
    expect(RUN_EVENT_KINDS.filter((kind) => classify({ kind }).persistence === 'transient')).toEqual([]);
  });

  it('makes the producer of a terminal event wait until it is stored', () => {
    for (const kind of TERMINAL_KINDS)
      expect(classify({ kind })).toEqual({ visibility: 'public', persistence: 'sync' });
  });
});

describe('the table of kinds', () => {
  it('has one row for each schema and one schema for each row', () => {
    expect(RunEvent.options.map((option) => option.shape.kind.value).sort()).toEqual([...RUN_EVENT_KINDS].sort());
  });

  it('lets only the orchestrator end a run', () => {
    for (const kind of TERMINAL_KINDS) expect(KINDS[kind].appendedBy).toEqual(['orchestrator']);
    expect(RUN_EVENT_KINDS.filter((kind) => isTerminal({ kind }))).toEqual([...TERMINAL_KINDS]);
  });

  it('knows no kind by a name every object has', () => {
    for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
      expect(isRunEventKind(name)).toBe(false);
    }
  });
});
