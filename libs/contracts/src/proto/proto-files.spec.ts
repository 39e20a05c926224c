import { describe, expect, it } from '@jest/globals';
import { aRunId, aTenantId, aThreadId } from '../fixtures.js';
import { KINDS, RUN_EVENT_KINDS } from '../kinds.js';
import { parseSubject } from '../subjects.js';
import { AgentEvent } from '../wire/agent-event.js';
import { THREAD_FRAMES } from '../wire/thread-frame.js';
import { protoFiles } from './proto-files.js';

interface Ref {
  readonly $ref: string;
}
interface Channel {
  readonly address: string;
  readonly messages: Record<string, Ref>;
  readonly parameters: Record<string, unknown>;
}
interface Operation {
  readonly action: string;
  readonly channel: Ref;
  readonly messages?: Ref[];
}
interface AsyncApi {
  readonly asyncapi: string;
  readonly channels: Record<string, Channel>;
  readonly operations: Record<string, Operation>;
}
interface EventSchema {
  readonly title: string;
  readonly required: string[];
  readonly properties: Record<string, { const?: string }>;
  readonly additionalProperties?: unknown;
}

const files = protoFiles();
const read = <T>(path: string): T => JSON.parse(files.get(path) ?? 'null') as T;
const api = read<AsyncApi>('asyncapi.json');
const isRef = (node: object): node is Ref => '$ref' in node && typeof node.$ref === 'string';

const refsIn = (node: unknown): string[] => {
  if (node === null || typeof node !== 'object') return [];
  return isRef(node) ? [node.$ref] : Object.values(node).flatMap(refsIn);
};

const resolve = (ref: string): unknown => {
  if (ref.startsWith('./')) return read(ref.slice(2));
  const steps = ref.slice(2).split('/');
  return steps.reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[step], api);
};

describe('proto/', () => {
  it('is the same bytes every time, each file ending in one newline', () => {
    expect([...protoFiles()]).toEqual([...files]);
    for (const content of files.values()) expect(content).toMatch(/[^\n]\n$/);
  });

  it.each([...RUN_EVENT_KINDS, 'ThreadCreated'])('has a schema for %s that admits fields of the future', (kind) => {
    const schema = read<EventSchema>(`events/${kind}.schema.json`);
    expect(schema.title).toBe(kind);
    expect(schema.properties['kind']?.const).toBe(kind);
    expect(schema.properties['version']?.const).toBe('1');
    expect(schema.required).toEqual(expect.arrayContaining(['eventId', 'tenantId', 'position', 'ts', 'kind', 'version']));
    expect(schema.additionalProperties).toBeUndefined();
  });
});

describe('what streams send', () => {
  it('is described for each of the 21 events of the agent dialect, and each event of the thread dialect', () => {
    const agent = read<{ oneOf: EventSchema[] }>('streams/AgentEvent.schema.json');
    expect(agent.oneOf.map(({ properties }) => properties['type']?.const)).toEqual(
      AgentEvent.options.map(({ shape }) => shape.type.value),
    );
    const thread = read<EventSchema>('streams/ThreadFrames.schema.json');
    expect(Object.keys(thread.properties)).toEqual(Object.keys(THREAD_FRAMES));
  });
});

describe('the AsyncAPI document', () => {
  it('is version 3 and every reference in it leads somewhere', () => {
    expect(api.asyncapi).toBe('3.0.0');
    const refs = refsIn(api);
    expect(refs.length).toBeGreaterThan(RUN_EVENT_KINDS.length);
    expect(refs.filter((ref) => resolve(ref) === undefined || resolve(ref) === null)).toEqual([]);
  });

  it('declares exactly the parameters its addresses use', () => {
    for (const { address, parameters } of Object.values(api.channels)) {
      const used = [...address.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(parameters).sort()).toEqual(used.sort());
    }
  });

  it('gives every kind the subject our own parser reads as that kind', () => {
    for (const kind of [...RUN_EVENT_KINDS, 'ThreadCreated']) {
      const subject = api.channels[kind]?.address
        .replace('{tenantId}', aTenantId)
        .replace('{runId}', aRunId)
        .replace('{threadId}', aThreadId);
      expect(parseSubject(subject ?? '')?.kind).toBe(kind);
      expect(Object.keys(api.channels[kind]?.messages ?? {})).toEqual([kind]);
    }
  });

  it('lets exactly those services send a kind that may append it', () => {
    const sends = Object.entries(api.operations).filter(([, operation]) => operation.action === 'send');
    const allowed = RUN_EVENT_KINDS.flatMap((kind) => KINDS[kind].appendedBy.map((service) => `${service}.${kind}`));
    expect(sends.map(([name]) => name).sort()).toEqual([...allowed, 'run-api.ThreadCreated'].sort());
    for (const [, { channel, messages }] of sends) {
      for (const sent of messages ?? []) expect(sent.$ref.startsWith(`${channel.$ref}/messages/`)).toBe(true);
    }
  });
});
