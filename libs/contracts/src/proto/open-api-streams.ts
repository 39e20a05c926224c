import { eventFixture } from '../fixtures.js';
import type { JsonObject } from './json-schema.js';
import { referencesTo } from './open-api-problems.js';

interface Stream {
  readonly id: string;
  readonly path: string;
  readonly idName: string;
  readonly tag: string;
  readonly summary: string;
  readonly schema: string;
  readonly example: string;
}

const frame = (lines: Readonly<Record<string, string>>): string =>
  `${Object.entries(lines)
    .map(([field, value]) => `${field}: ${value}`)
    .join('\n')}\n\n`;
const token = eventFixture('TokenDelta');
const CONTENT = {
  ...{ type: 'content', role: 'agent', text: 'hello', partial: true },
  ...{ node: 'answer', taskKey: '1/answer', attempt: 1 },
};

/** The routes of stream-gateway that follow one run. */
const STREAMS: readonly Stream[] = [
  {
    ...{ id: 'streamRun', path: '/agents/runs/{id}/stream', idName: 'id', tag: 'native' },
    summary: 'Follow the run: each frame is one event, its id the sequence',
    schema: 'events/',
    example: frame({ id: '7', data: JSON.stringify(token) }),
  },
  {
    ...{ id: 'streamAgentRun', path: '/api/agent/{runId}/events', idName: 'runId', tag: 'agent' },
    summary: 'Follow the run, in events of the agent dialect',
    schema: 'streams/AgentEvent.schema.json',
    example: frame({ id: '7', data: JSON.stringify(CONTENT) }),
  },
  {
    ...{ id: 'streamThreadRun', path: '/api/runs/{id}/events', idName: 'id', tag: 'thread' },
    summary: 'Follow the run, in frames with `event:` of the thread dialect',
    schema: 'streams/ThreadFrames.schema.json',
    example: frame({ id: '7', event: 'token', data: JSON.stringify({ text: 'hello' }) }),
  },
];

const DESCRIPTION =
  'Served by stream-gateway. Resumes from any event, sends comments while nothing happens, and ends after the ' +
  'terminal event. With `event: closing` the server asks to come back, with the cursor it names.';

export const streamPaths = (ulid: JsonObject): JsonObject =>
  Object.fromEntries(STREAMS.map((stream) => [stream.path, { get: describe(stream, ulid) }]));

const describe = ({ id, idName, tag, summary, schema, example }: Stream, ulid: JsonObject): JsonObject => ({
  operationId: id,
  summary,
  description: `${DESCRIPTION} What frames carry: \`proto/${schema}\`.`,
  tags: [tag],
  security: [{ bearer: [] }, { ticket: [] }],
  parameters: [
    { name: idName, in: 'path', required: true, schema: ulid },
    { name: 'fromSeq', in: 'query', description: 'The first event wanted.', schema: { type: 'integer', minimum: 0 } },
    {
      ...{ name: 'Last-Event-ID', in: 'header', description: 'The last event one has; counts more than fromSeq.' },
      schema: { type: 'integer', minimum: 0 },
    },
  ],
  responses: {
    200: {
      description: 'A stream of server-sent events.',
      content: { 'text/event-stream': { schema: { type: 'string' }, example } },
    },
    ...referencesTo(['Invalid', 'Unauthenticated', 'Forbidden', 'NotFound', 'RateLimited', 'Unavailable']),
  },
});
