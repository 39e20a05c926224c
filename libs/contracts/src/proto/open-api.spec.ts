import { describe, expect, it } from '@jest/globals';
import { EXAMPLES } from '../http/examples.js';
import { OPERATIONS } from '../http/operations.js';
import { Problem } from '../http/problem.http.js';
import { RunEvent } from '../events/run-event.js';
import { isPublic } from '../classification.js';
import { INPUT_RESPONSES } from '../input-requests.js';
import { RUN_EVENT_KINDS } from '../kinds.js';
import { AgentEvent } from '../wire/agent-event.js';
import { THREAD_FRAMES } from '../wire/thread-frame.js';
import { openApi } from './open-api.js';

interface Content {
  readonly schema: object;
  readonly example?: unknown;
}
interface Described {
  readonly operationId: string;
  readonly parameters: readonly { readonly name?: string; readonly in?: string; readonly $ref?: string }[];
  readonly requestBody?: { readonly content: Record<string, Content> };
  readonly responses: Record<string, { readonly $ref?: string; readonly content?: Record<string, Content> }>;
}
interface Document {
  readonly paths: Record<string, Record<string, Described>>;
  readonly components: {
    readonly responses: Record<string, { readonly content: Record<string, Content> }>;
    readonly schemas: Record<string, object>;
  };
}

interface Union {
  readonly oneOf?: readonly { readonly $ref: string }[];
  readonly anyOf?: readonly { readonly $ref: string }[];
  readonly discriminator?: unknown;
}
interface JsonSchema {
  readonly description: string;
}

const nameIn = ({ $ref }: { readonly $ref: string }): string => $ref.slice('#/components/schemas/'.length);
const isStream = ({ operationId }: Described): boolean => operationId.startsWith('stream');
const document = JSON.parse(JSON.stringify(openApi())) as Document;
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);
const refsIn = (node: unknown): string[] =>
  node === null || typeof node !== 'object'
    ? []
    : Object.entries(node).flatMap(([key, value]) => (key === '$ref' ? [String(value)] : refsIn(value)));

describe('The OpenAPI document', () => {
  it('says nothing that leads nowhere, and nothing twice', () => {
    for (const ref of refsIn(document)) {
      const found = ref
        .slice(2)
        .split('/')
        .reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[step], document);
      expect([ref, found]).toEqual([ref, expect.any(Object)]);
    }
    const ids = described.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(OPERATIONS)('shows what $id takes and answers, by an example that is so', ({ id, body, answer }) => {
    const example = EXAMPLES[id];
    expect(answer.safeParse(example?.answer)).toMatchObject({ success: true });
    if (body) expect(body.schema.safeParse(example?.body)).toMatchObject({ success: true });
    const operation = described.find(({ operationId }) => operationId === id);
    const shown = operation?.responses['200'] ?? operation?.responses['201'];
    expect(shown?.content?.['application/json']?.example).toEqual(JSON.parse(JSON.stringify(example?.answer)));
    expect(operation?.requestBody?.content['application/json']?.example).toEqual(body && example?.body);
  });

  it('has no example of what is not there', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual(OPERATIONS.map(({ id }) => id).sort());
  });

  it('names every part of a path, and a key for whatever creates', () => {
    for (const { path, parameters, operationId } of described) {
      const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
      expect([operationId, named]).toEqual([operationId, path.match(/\{\w+\}/g) ?? []]);
    }
    const keyed = described.filter(({ parameters }) => parameters.some(({ $ref }) => $ref?.endsWith('IdempotencyKey')));
    expect(keyed.map(({ operationId }) => operationId).sort()).toEqual(
      OPERATIONS.flatMap(({ id, creates }) => (creates === 'by key' ? [id] : [])).sort(),
    );
  });

  it('tells problems as they are told', () => {
    for (const { content } of Object.values(document.components.responses)) {
      expect(Problem.safeParse(content['application/problem+json']?.example)).toMatchObject({ success: true });
    }
    for (const { responses, requestBody, path } of described) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '403', '429', '500', '503']));
      expect('415' in responses).toBe(requestBody !== undefined);
      expect('414' in responses).toBe(path.includes('{'));
    }
  });

  it('describes every event clients see, by its kind', () => {
    const { oneOf, discriminator } = document.components.schemas['RunEvent'] as Union;
    expect(discriminator).toEqual({ propertyName: 'kind' });
    expect(oneOf?.map(nameIn)).toEqual(RUN_EVENT_KINDS.filter((kind) => isPublic({ kind })));
    for (const kind of oneOf?.map(nameIn) ?? []) {
      expect(document.components.schemas[kind]).toMatchObject({ properties: { kind: { const: kind } } });
    }
    const page = described.find(({ operationId }) => operationId === 'getRunEvents')?.responses['200'];
    expect(page?.content?.['application/json']?.schema).toMatchObject({
      properties: { events: { items: { $ref: '#/components/schemas/RunEvent' } } },
    });
  });

  it('describes the answer to each type of request, wherever one is taken', () => {
    const { anyOf } = document.components.schemas['InputResponse'] as Union;
    const told = anyOf?.map(nameIn).map((name) => document.components.schemas[name] as JsonSchema);
    expect(told?.map(({ description }) => /`(\w+)`/.exec(description)?.[1])).toEqual(Object.keys(INPUT_RESPONSES));
    expect(document.components.schemas['ToolApprovalResponse']).toMatchObject({
      properties: { decision: { enum: ['approve', 'reject', 'edit'] } },
      required: ['decision'],
    });
    for (const id of ['answerInput', 'answerAgent']) {
      const body = described.find(({ operationId }) => operationId === id)?.requestBody;
      expect(body?.content['application/json']?.schema).toMatchObject({
        properties: { response: { $ref: '#/components/schemas/InputResponse' } },
      });
    }
  });

  it('says where streams are once it is told, and nothing about it before', () => {
    const streamUrl = 'https://stream.example.com';
    const pathsIn = (said: object) => Object.entries((said as Document).paths);
    expect(pathsIn(openApi()).filter(([, path]) => 'servers' in path)).toEqual([]);
    const placed = pathsIn(openApi({ streamUrl })).filter(([, path]) => 'servers' in path);
    expect(placed.map(([path]) => path)).toEqual(described.filter(isStream).map(({ path }) => path));
    for (const [, path] of placed) expect(path).toMatchObject({ servers: [{ url: streamUrl }] });
  });

  it.each([
    ['streamRun', RunEvent],
    ['streamFeed', RunEvent],
    ['streamAgentRun', AgentEvent],
    ['streamThreadRun', THREAD_FRAMES.token],
  ] as const)('shows a frame of %s', (id, schema) => {
    const operation = described.find(({ operationId }) => operationId === id);
    const frame = String(operation?.responses['200']?.content?.['text/event-stream']?.example);
    const data = /^data: (.*)$/m.exec(frame)?.[1] ?? '';
    expect(schema.safeParse(JSON.parse(data))).toMatchObject({ success: true });
  });
});
