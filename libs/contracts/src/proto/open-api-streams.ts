import { eventFixture } from '../fixtures.js';
import { RunId } from '../ids.js';
import { FeedCursor, FeedQuery } from '../wire/stream.js';
import { type JsonObject, plainSchemaOf } from './json-schema.js';
import { referencesTo } from './open-api-problems.js';

interface Stream {
  readonly id: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly schema: string;
  readonly example: string;
}

interface RunStream extends Stream {
  readonly idName: string;
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
const STREAMS: readonly RunStream[] = [
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

const FEED: Stream = {
  ...{ id: 'streamFeed', path: '/agents/events', tag: 'native' },
  summary: 'Follow all runs of the tenant: each frame is one event, its id a cursor of this feed',
  schema: 'events/',
  example: frame({ id: 'MDFKRDAwMDAwMDAwMDAwMDAwMDAwMDAwMDEvbA', data: JSON.stringify(eventFixture('RunStarted')) }),
};

const SERVED = 'Served by stream-gateway. Resumes from any event, sends comments while nothing happens';
const CLOSING = 'With `event: closing` the server asks to come back, with the cursor it names.';

/** All but these are found where the document is; without an address of their own they are as well. */
export const streamPaths = (url?: string): JsonObject => {
  const servers = url === undefined ? {} : { servers: [{ url, description: 'stream-gateway' }] };
  return {
    ...Object.fromEntries(STREAMS.map((stream) => [stream.path, { ...servers, get: oneRun(stream) }])),
    [FEED.path]: { ...servers, get: feed() },
  };
};

const oneRun = ({ idName, ...stream }: RunStream): JsonObject => ({
  ...described(stream, `${SERVED}, and ends after the terminal event. ${CLOSING}`),
  security: [{ bearer: [] }, { ticket: [] }],
  parameters: [
    { name: idName, in: 'path', required: true, schema: plainSchemaOf(RunId) },
    { name: 'fromSeq', in: 'query', description: 'The first event wanted.', schema: { type: 'integer', minimum: 0 } },
    {
      ...{ name: 'Last-Event-ID', in: 'header', description: 'The last event one has; counts more than fromSeq.' },
      schema: { type: 'integer', minimum: 0 },
    },
  ],
  responses: { ...framesOf(stream), ...referencesTo([...PROBLEMS, 'NotFound', 'AddressTooLong']) },
});

const feed = (): JsonObject => {
  const { kinds, agent, after } = FeedQuery.shape;
  return {
    ...described(FEED, `${SERVED}, and has no end. ${CLOSING}`),
    security: [{ bearer: [] }],
    parameters: [
      {
        ...{ name: 'kinds', in: 'query', description: 'Separated by commas; all that clients see without it.' },
        schema: { ...plainSchemaOf(kinds), examples: ['RunStarted,RunFinished'] },
      },
      { name: 'agent', in: 'query', description: 'Of runs of this agent only.', schema: plainSchemaOf(agent) },
      {
        ...{ name: 'after', in: 'query', description: 'An id of this feed, `start` or `now`; `now` without it.' },
        schema: plainSchemaOf(after),
      },
      {
        ...{ name: 'Last-Event-ID', in: 'header', description: 'The last event one has; counts more than after.' },
        schema: plainSchemaOf(FeedCursor),
      },
    ],
    responses: { ...framesOf(FEED), ...referencesTo(PROBLEMS) },
  };
};

const PROBLEMS = ['Invalid', 'Unauthenticated', 'Forbidden', 'RateLimited', 'Failed', 'Unavailable'] as const;

const described = ({ id, summary, schema, tag }: Stream, description: string): JsonObject => ({
  operationId: id,
  summary,
  description: `${description} What frames carry: \`proto/${schema}\`.`,
  tags: [tag],
});

const framesOf = ({ example }: Stream): JsonObject => ({
  200: {
    description: 'A stream of server-sent events.',
    content: { 'text/event-stream': { schema: { type: 'string' }, example } },
  },
});
