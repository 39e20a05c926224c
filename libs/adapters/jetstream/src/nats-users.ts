import { KINDS, LIVE_PREFIX, RUN_EVENT_KINDS, SERVICES, type ServiceName, subjects } from '@millrace/contracts';
import { inboxPrefix } from './nats-connection.js';
import { BLOB_BUCKET, STREAMS, topology } from './topology.js';

/** One user for each service, and one for people and the set-up, who may do everything. */
export const NATS_USERS = [...SERVICES, 'admin'] as const;
export type NatsUserName = (typeof NATS_USERS)[number];

export interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * What a service's user may do at the broker. It may publish only the kinds that are its own to say, so that a worker
 * gone wrong can neither end a run nor answer for a person; and it may create, change and delete no stream.
 */
export const permissionsOf = (service: ServiceName): NatsPermissions => {
  const { publish, subscribe } = NEEDS[service];
  return {
    publish: [
      ...RUN_EVENT_KINDS.filter((kind) => isSaidBy(service, kind)).map(subjects.everyRun),
      ...verifying,
      ...publish,
    ],
    subscribe: [`${inboxPrefix(service)}.>`, ...subscribe],
  };
};

const isSaidBy = (service: ServiceName, kind: (typeof RUN_EVENT_KINDS)[number]): boolean =>
  KINDS[kind].appendedBy.includes(service);

/** Reads of the log ask the leader only to find out what became of an append. */
const readingLog = [`$JS.API.DIRECT.GET.${STREAMS.runs}`, `$JS.API.STREAM.MSG.GET.${STREAMS.runs}`];
const readingBlobs = [`$JS.API.DIRECT.GET.${STREAMS.blobs}`, `$JS.API.STREAM.MSG.GET.${STREAMS.blobs}`];
const writingBlobs = [`$O.${BLOB_BUCKET}.C.>`, `$O.${BLOB_BUCKET}.M.>`];
const verifying = ['$JS.API.INFO', '$JS.API.STREAM.INFO.*', '$JS.API.CONSUMER.INFO.*.*'];
const parking = ['dead.>'];
const offering = [subjects.everyTask()];
const readingAgents = [`$JS.API.DIRECT.GET.${STREAMS.agents}`, `$JS.API.STREAM.MSG.GET.${STREAMS.agents}`];
const hearingAgents = subjects.liveAgentMessages();
const hearingLive = [`${LIVE_PREFIX}.${subjects.everyRun()}`];

/** Taking messages from the durable consumers that are declared for the service (their names begin with its own). */
const consuming = (service: ServiceName): string[] =>
  topology()
    .consumers.filter(({ config }) => config.durable_name === service || config.durable_name.startsWith(`${service}-`))
    .flatMap(({ stream, config }) => [
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.${config.durable_name}`,
      `$JS.ACK.${stream}.${config.durable_name}.>`,
    ]);

const leading = ['lease.*', 'snapshot.*', `$JS.API.DIRECT.GET.${STREAMS.coordination}`];

/** The projector and the dispatcher read everything once and in order, through a consumer of their own making. */
const feeding = [
  `$JS.API.CONSUMER.CREATE.${STREAMS.runs}`,
  `$JS.API.CONSUMER.CREATE.${STREAMS.runs}.>`,
  `$JS.API.CONSUMER.MSG.NEXT.${STREAMS.runs}.>`,
  `$JS.API.CONSUMER.DELETE.${STREAMS.runs}.>`,
];

const NEEDS: Record<ServiceName, NatsPermissions> = {
  'run-api': {
    publish: [
      subjects.everyThread(),
      ...readingLog,
      ...readingBlobs,
      ...writingBlobs,
      ...readingAgents,
      ...parking,
      ...consuming('run-api'),
    ],
    subscribe: [...hearingLive, hearingAgents],
  },
  orchestrator: {
    publish: [
      ...offering,
      `$JS.API.STREAM.MSG.GET.${STREAMS.tasks}`, // whether a run has a message there
      'timer.>',
      ...readingLog,
      ...readingBlobs,
      ...writingBlobs,
      ...readingAgents,
      ...parking,
      ...feeding,
      ...leading,
      ...consuming('orchestrator'),
    ],
    subscribe: [...hearingLive, hearingAgents],
  },
  'node-workers': {
    publish: [
      ...offering,
      ...readingLog,
      ...readingBlobs,
      ...writingBlobs,
      subjects.everyAgentMessage(),
      ...readingAgents, // what was announced before, and what other workers have
      ...parking,
      ...consuming('node-workers'),
    ],
    subscribe: [...hearingLive, hearingAgents],
  },
  'stream-gateway': {
    publish: [...readingLog, ...readingBlobs, ...parking, subjects.everyTicket()],
    subscribe: hearingLive,
  },
  projector: { publish: [...feeding, ...readingLog, ...readingBlobs, ...parking], subscribe: [] },
};

/** nats-server's `authorization` block. Passwords are quoted as JSON, which nats-server reads as its own. */
export const natsUsers = (passwords: Readonly<Record<NatsUserName, string>>): string => {
  const users = NATS_USERS.map((name) => {
    const permissions = name === 'admin' ? '' : `, permissions: ${permissionsText(permissionsOf(name))}`;
    return `    { user: ${JSON.stringify(name)}, password: ${JSON.stringify(passwords[name])}${permissions} }`;
  });
  return ['authorization {', '  users: [', users.join(',\n'), '  ]', '}'].join('\n');
};

const permissionsText = ({ publish, subscribe }: NatsPermissions): string =>
  `{ publish: { allow: ${JSON.stringify(publish)} }, subscribe: { allow: ${JSON.stringify(subscribe)} } }`;
