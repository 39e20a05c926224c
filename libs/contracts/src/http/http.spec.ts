import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { aRequestId, aRunId, aThreadId } from '../fixtures.js';
import { Name } from '../ids.js';
import { INPUT_RESPONSES, InputRequest } from '../input-requests.js';
import { plainSchemaOf } from '../proto/json-schema.js';
import { AgentInputBody, AgentRunParams, StartAgentBody } from './agent.http.js';
import { EXAMPLES } from './examples.js';
import { PrintableName } from './names.http.js';
import { CommandBody, CreateRunBody, EventsQuery, ProvideInputBody, RunParams, RunView } from './native.http.js';
import { OPERATIONS } from './operations.js';
import { Problem } from './problem.http.js';
import { IdempotencyKey, RunInputParams } from './requests.http.js';
import { RunsQuery } from './run-list.http.js';
import { CreateThreadBody, PostMessageBody, ThreadParams } from './thread.http.js';

const takes = (schema: z.ZodType, body: unknown): boolean => schema.safeParse(body).success;

describe('the HTTP bodies', () => {
  it.each<[string, z.ZodType, unknown]>([
    ['a run with the default agent', CreateRunBody, { appId: 'demo', policy: 'default' }],
    ['a run with everything', CreateRunBody, { agent: 'echo', appId: 'demo', policy: 'default', threadId: aThreadId }],
    ['an agent run', StartAgentBody, { agent: 'echo', input: { text: 'hello' } }],
    ['an answer in the agent dialect', AgentInputBody, { requestId: aRequestId, response: { text: 'Ada' } }],
    ['an empty thread', CreateThreadBody, {}],
    ['a message with files', PostMessageBody, { content: 'see', files: [{ name: 'a.txt', mediaType: 'text/plain' }] }],
    ['a command without a reason', CommandBody, {}],
    ['a problem', Problem, { type: 'about:blank', title: 'No such run.', status: 404, code: 'RUN_NOT_FOUND' }],
  ])('take %s', (_, schema, body) => {
    expect(takes(schema, body)).toBe(true);
  });

  it.each<[string, z.ZodType, unknown]>([
    ['a run without an app', CreateRunBody, { policy: 'default' }],
    ['a run without a policy', CreateRunBody, { appId: 'demo' }],
    ['a run of a thread that cannot be', CreateRunBody, { appId: 'demo', policy: 'default', threadId: '*' }],
    ['a run whose agent has no name', CreateRunBody, { agent: '', appId: 'demo', policy: 'default' }],
    ['an array', CreateRunBody, []],
    ['nothing', CreateRunBody, null],
    ['an agent run without an agent', StartAgentBody, { input: {} }],
    ['an answer to no request', AgentInputBody, { requestId: 'x', response: {} }],
    ['an empty message', PostMessageBody, { content: '' }],
    ['a problem that is none', Problem, { type: 'about:blank', title: 'Fine', status: 200, code: 'OK' }],
    ['a progress over one', RunView.shape.progress, 1.1],
  ])('refuse %s', (_, schema, body) => {
    expect(takes(schema, body)).toBe(false);
  });

  it.each([
    [RunParams, 'id'],
    [AgentRunParams, 'runId'],
    [ThreadParams, 'id'],
  ])('refuse a path whose id is not a ULID', (schema, name) => {
    expect(takes(schema, { [name]: aRunId })).toBe(true);
    for (const id of ['*', '>', 'a.b', '../x', aRunId.toLowerCase(), '']) {
      expect(takes(schema, { [name]: id })).toBe(false);
    }
  });

  it('refuse a path whose second id is not a ULID', () => {
    expect(takes(RunInputParams, { id: aRunId, requestId: aRequestId })).toBe(true);
    expect(takes(RunInputParams, { id: aRunId, requestId: '>' })).toBe(false);
  });

  it('take a key that can stand in a header, and no other', () => {
    for (const key of ['a', '7f9c-:/+', 'x'.repeat(255)]) expect(takes(IdempotencyKey, key)).toBe(true);
    for (const key of ['', 'a b', 'a\n', '\u0000', 'é', 'x'.repeat(256), 7])
      expect(takes(IdempotencyKey, key)).toBe(false);
  });

  it('read a page of events from query strings, with bounds', () => {
    expect(EventsQuery.parse({})).toEqual({ fromSeq: 0, limit: 100 });
    expect(EventsQuery.parse({ fromSeq: '12', limit: '1000' })).toEqual({ fromSeq: 12, limit: 1_000 });
    for (const bad of [
      { fromSeq: '-1' },
      { fromSeq: 'x' },
      { limit: '0' },
      { limit: '1001' },
      { limit: '1.5' },
      { limit: '' },
      { limit: '1e2' },
      { fromSeq: '0x1' },
    ]) {
      expect(takes(EventsQuery, bad)).toBe(false);
    }
  });

  it.each<[string, z.ZodType, object, string]>([
    ['a list', RunsQuery, { limit: '0' }, 'must be a whole number from 1 to 200'],
    ['a list', RunsQuery, { limit: '201' }, 'must be a whole number from 1 to 200'],
    ['a list', RunsQuery, { limit: 'many' }, 'must be a whole number from 1 to 200'],
    ['events', EventsQuery, { limit: '1001' }, 'must be a whole number from 1 to 1000'],
    ['events', EventsQuery, { fromSeq: '-1' }, 'must be a whole number, 0 or more'],
  ])('say which numbers %s takes', (_, schema, query, message) => {
    expect(schema.safeParse(query).error?.issues).toMatchObject([{ message }]);
  });

  it('take no time whose year has five digits once it is in UTC', () => {
    const taken = RunsQuery.parse({ createdBefore: '9999-12-31T23:59:59.999Z' }).createdBefore;
    expect(taken).toBe('9999-12-31T23:59:59.999Z');
    for (const field of ['createdFrom', 'createdBefore']) {
      const { error } = RunsQuery.safeParse({ [field]: '9999-12-31T23:59:59-14:00' });
      expect(error?.issues).toMatchObject([{ path: [field], message: 'must not be after the year 9999, in UTC' }]);
    }
  });
});

describe.each(OPERATIONS)('$id', ({ id, body, query }) => {
  const refusalOf = (schema: z.ZodType, sent: unknown) => schema.safeParse(sent).error?.issues;

  it('takes no field in its body and no word in its address that it does not know', () => {
    const unknown = [{ code: 'unrecognized_keys', keys: ['surprise'], path: [] }];
    if (body) expect(refusalOf(body.schema, { ...(EXAMPLES[id]?.body as object), surprise: 1 })).toMatchObject(unknown);
    if (query) expect(refusalOf(query, { surprise: '1' })).toMatchObject(unknown);
  });

  it('says of every object in them whether it may have other fields', () => {
    for (const schema of [body?.schema, query]) {
      for (const object of schema ? objectsIn(plainSchemaOf(schema)) : []) {
        expect(object).toHaveProperty('additionalProperties');
      }
    }
  });
});

/** Every schema of an object in a JSON schema, however deep. */
const objectsIn = (node: unknown): object[] => {
  if (node === null || typeof node !== 'object') return [];
  const inner = Object.values(node).flatMap(objectsIn);
  return 'properties' in node && 'type' in node && node.type === 'object' ? [node, ...inner] : inner;
};

describe('a name', () => {
  it.each(['echo', 'ваш агент', 'a-b_c.d/e', '水車 💧', "it's", 'x'.repeat(200)])('may be %s', (name) => {
    expect(takes(PrintableName, name)).toBe(true);
  });

  it.each(['', 'a\nb', '\t', 'a\u0000', '\u0007', '\u001b[0m', '\u007f', '\u0085', 'x'.repeat(201)])(
    'may not be %j over HTTP',
    (name) => {
      expect(takes(PrintableName, name)).toBe(false);
    },
  );

  it('that is in the log already is read, whatever it is', () => {
    expect(takes(Name, 'echo\n\u0007')).toBe(true);
  });
});

describe('the answer to a request for input', () => {
  const good: { [T in keyof typeof INPUT_RESPONSES]: unknown } = {
    waitForInput: { text: 'Ada', files: [{ name: 'a.txt' }] },
    waitForChoice: { choice: 'left' },
    readGraph: { graph: { nodes: [] } },
    inspectNode: { node: { id: 'n1' } },
    applyEdits: { applied: false, error: 'no such node' },
    queryConsent: { consent: true },
    toolApproval: { decision: 'edit', input: { query: 'mill' }, reason: 'narrower' },
  };

  it.each(Object.keys(good) as (keyof typeof good)[])('%s has its shape, and no other scalar passes', (type) => {
    expect(takes(INPUT_RESPONSES[type], good[type])).toBe(true);
    expect(takes(ProvideInputBody, { response: good[type] })).toBe(true);
    for (const bad of [null, 'yes', 1, []]) expect(takes(INPUT_RESPONSES[type], bad)).toBe(false);
  });

  it('exists for every kind of request', () => {
    const types = InputRequest.options.map((option) => option.shape.type.value);
    expect(Object.keys(INPUT_RESPONSES).sort()).toEqual([...types].sort());
  });

  it('is refused with a decision nobody offered', () => {
    expect(takes(INPUT_RESPONSES.toolApproval, { decision: 'perhaps' })).toBe(false);
    expect(takes(INPUT_RESPONSES.queryConsent, { consent: 'yes' })).toBe(false);
  });

  it('says what the input of a tool becomes when it is an edit, whatever that is', () => {
    const { error } = INPUT_RESPONSES.toolApproval.safeParse({ decision: 'edit', reason: 'narrower' });
    expect(error?.issues).toMatchObject([{ path: ['input'] }]);
    for (const input of [null, '', {}])
      expect(takes(INPUT_RESPONSES.toolApproval, { decision: 'edit', input })).toBe(true);
    expect(takes(INPUT_RESPONSES.toolApproval, { decision: 'approve' })).toBe(true);
  });
});
