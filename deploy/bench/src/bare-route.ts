import { subjects, RunId, TenantId } from '@millrace/contracts';
import { UlidEventIds } from '@millrace/adapter-jetstream';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import fastify from 'fastify';

/** The least a server can do that stores what it is sent before it answers: one route, one publish, nothing checked. */
const url = new URL(process.env['NATS_URL'] ?? 'nats://127.0.0.1:4222');
const nats = await connect({ servers: url.host, user: url.username, pass: url.password });
const js = jetstream(nats);
const ids = new UlidEventIds();
const tenantId = TenantId.parse(ids.next());
const app = fastify();

app.post('/agents/runs', async (request, reply) => {
  const runId = RunId.parse(ids.next());
  await js.publish(subjects.event({ tenantId, runId, kind: 'RunRequested' }), JSON.stringify(request.body));
  return reply.code(201).send({ runId });
});

console.log(`Listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
process.once('SIGTERM', () => {
  void app.close().then(() => nats.close());
});
