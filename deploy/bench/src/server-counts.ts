import type { NatsConnection } from '@millrace/adapter-jetstream';

/** What nats-server has counted since its start. */
export interface ServerCounts {
  readonly messagesIn: number;
  readonly messagesOut: number;
  /** The last sequence of each stream: how many messages it has ever stored. */
  readonly stored: ReadonlyMap<string, number>;
}

export async function readServerCounts(monitorUrl: string): Promise<ServerCounts> {
  const page = async <T>(path: string) => (await (await fetch(`${monitorUrl}${path}`)).json()) as T;
  const { in_msgs, out_msgs } = await page<{ in_msgs: number; out_msgs: number }>('/varz');
  const { account_details = [] } = await page<JetStreamPage>('/jsz?streams=true');
  const streams = account_details.flatMap(({ stream_detail = [] }) => stream_detail);
  const stored = new Map(streams.map(({ name, state }) => [name, state.last_seq]));
  return { messagesIn: in_msgs, messagesOut: out_msgs, stored };
}

export const countsBetween = (before: ServerCounts, after: ServerCounts): ServerCounts => ({
  messagesIn: after.messagesIn - before.messagesIn,
  messagesOut: after.messagesOut - before.messagesOut,
  stored: new Map([...after.stored].map(([name, last]) => [name, last - (before.stored.get(name) ?? 0)])),
});

/**
 * How often anybody asks for stored messages by direct get while the work is done. Every request is delivered once more,
 * to us: it must not run while time or CPU is measured.
 */
export async function countReads(nats: NatsConnection, work: () => Promise<unknown>): Promise<number> {
  let reads = 0;
  const subscription = nats.subscribe('$JS.API.DIRECT.GET.>', { callback: () => void (reads += 1) });
  await nats.flush();
  await work();
  await nats.flush();
  subscription.unsubscribe();
  return reads;
}

interface JetStreamPage {
  readonly account_details?: readonly {
    readonly stream_detail?: readonly { readonly name: string; readonly state: { readonly last_seq: number } }[];
  }[];
}
