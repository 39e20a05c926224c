import { KINDS, RUN_EVENT_KINDS, type ServiceName } from '../kinds.js';
import { LIVE_PREFIX } from '../subjects.js';
import type { JsonObject } from './json-schema.js';

/** The subjects of the stream RUNS, what travels on them, and which service may send it. */
export const asyncApi = (): JsonObject => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Millrace run events',
    version: '1',
    description:
      'Every fact about a run is one message in the JetStream stream RUNS. Each append is a compare-and-swap on the ' +
      "run's last message, so nothing but the platform's own append may publish here; everybody may read.",
    license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  },
  defaultContentType: 'application/json',
  channels: {
    ...Object.fromEntries(RUN_EVENT_KINDS.map((kind) => [kind, eventChannel('run', 'runId', kind)])),
    ThreadCreated: eventChannel('thread', 'threadId', 'ThreadCreated'),
    live: liveChannel(),
  },
  operations: {
    ...Object.fromEntries(
      RUN_EVENT_KINDS.flatMap((kind) => KINDS[kind].appendedBy.map((service) => sendOperation(service, kind))),
    ),
    ...Object.fromEntries([sendOperation('run-api', 'ThreadCreated')]),
    followRun: {
      action: 'receive',
      channel: { $ref: '#/channels/live' },
      summary: 'Stored events of a run as they happen, at most once: a gap in position is read again from the stream.',
    },
  },
  components: {
    messages: Object.fromEntries([...RUN_EVENT_KINDS, 'ThreadCreated'].map((kind) => [kind, message(kind)])),
    messageTraits: { stored: storedTrait },
    parameters: {
      tenantId: { description: 'ULID of the tenant; the only one whose readers may see the message.' },
      runId: { description: 'ULID of the run.' },
      threadId: { description: 'ULID of the thread.' },
    },
  },
});

const eventChannel = (root: 'run' | 'thread', id: 'runId' | 'threadId', kind: string): JsonObject => ({
  address: `tenant.{tenantId}.${root}.{${id}}.${kind}`,
  messages: { [kind]: { $ref: `#/components/messages/${kind}` } },
  parameters: parameters('tenantId', id),
});

const liveChannel = (): JsonObject => ({
  address: `${LIVE_PREFIX}.tenant.{tenantId}.run.{runId}.{kind}`,
  description: 'Published again by the stream once a message is stored. Internal kinds included: readers filter.',
  messages: Object.fromEntries(RUN_EVENT_KINDS.map((kind) => [kind, { $ref: `#/components/messages/${kind}` }])),
  parameters: { ...parameters('tenantId', 'runId'), kind: { enum: RUN_EVENT_KINDS } },
});

const parameters = (...names: string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/parameters/${name}` }]));

const sendOperation = (service: ServiceName, kind: string): [string, JsonObject] => [
  `${service}.${kind}`,
  {
    action: 'send',
    channel: { $ref: `#/channels/${kind}` },
    messages: [{ $ref: `#/channels/${kind}/messages/${kind}` }],
    tags: [{ name: service }],
  },
];

const message = (kind: string): JsonObject => ({
  name: kind,
  contentType: 'application/json',
  payload: { $ref: `./events/${kind}.schema.json` },
  traits: [{ $ref: '#/components/messageTraits/stored' }],
});

const counter = (description: string): JsonObject => ({ type: 'string', pattern: '^(-1|[0-9]+)$', description });

const storedTrait: JsonObject = {
  headers: {
    type: 'object',
    properties: {
      'Nats-Msg-Id': { type: 'string', description: 'The eventId: a repeat within the window is not stored again.' },
      'Millrace-Position': counter("The event's position: with the next header, the tail of its history."),
      'Millrace-Sequence': counter('The last public sequence so far, on internal events too; -1 before the first.'),
      traceparent: { type: 'string', description: 'W3C trace context of the writer.' },
    },
  },
};
