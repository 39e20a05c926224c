import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventId, FACT_FIXTURES, RunId, TenantId } from '@millrace/contracts';
import { EMPTY_TAIL } from '@millrace/ports';
import { ulid } from 'ulid';
import { JetStreamRunRequests } from './jetstream-run-requests.js';
import { SpecNats, token } from './spec-nats.for-spec.js';

let spec: SpecNats;
beforeAll(async () => {
  spec = await SpecNats.start();
});
afterAll(() => spec.stop());

describe('JetStreamRunRequests', () => {
  it("gives one tenant's requests in stored order, page by page, whatever lies between them", async () => {
    const log = await spec.openLog();
    const tenants = [TenantId.parse(ulid()), TenantId.parse(ulid())];
    const asked: { tenantId: TenantId; runId: RunId; streamSequence: number }[] = [];
    for (let at = 0; at < 10; at += 1) {
      const run = { tenantId: tenants[at % 2]!, runId: RunId.parse(ulid()) };
      const draft = { ...FACT_FIXTURES.RunRequested, eventId: EventId.parse(ulid()), ts: '2026-01-12T10:00:00.000Z' };
      const { tail } = await log.append(run, draft, EMPTY_TAIL);
      await log.append(run, token('between'), tail);
      asked.push({ ...run, streamSequence: tail.streamSequence });
    }
    const mine = asked
      .filter(({ tenantId }) => tenantId === tenants[0])
      .map(({ runId, streamSequence }) => ({ runId, streamSequence }));
    const requests = new JetStreamRunRequests(spec.nats);
    expect(await requests.page(tenants[0]!, 1, 10, mine.at(-1)!.streamSequence)).toEqual(mine);
    expect(await requests.page(tenants[0]!, 1, 2, mine.at(-1)!.streamSequence)).toEqual(mine.slice(0, 2));
    expect(await requests.page(tenants[0]!, mine[1]!.streamSequence + 1, 10, mine.at(-1)!.streamSequence)).toEqual(
      mine.slice(2),
    );
    expect(await requests.page(TenantId.parse(ulid()), 1, 10, 0)).toEqual([]);
  });
});
