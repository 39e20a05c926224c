import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpStack } from './http-stack.for-spec.js';

const KEYS = Array.from({ length: 1_000 }, (_, at) => `order-${at}`);
const TIMES = 20;
const AT_ONCE = 200;
const body = { appId: 'demo', policy: 'default', input: { text: 'once' } };

let stack: HttpStack;
beforeAll(async () => {
  stack = await HttpStack.start('run-api', 'node-workers');
});
afterAll(() => stack.stop());

/** Twins of one key are sent next to each other, so that they are under way together. */
async function sendAll(keys: readonly string[]): Promise<Map<string, Set<string>>> {
  const answers = new Map(keys.map((key) => [key, new Set<string>()]));
  const waiting = keys.flatMap((key) => Array.from({ length: TIMES }, () => key)).values();
  const send = async (): Promise<void> => {
    for (const key of waiting) {
      const { status, text } = await stack.post('/agents/runs', body, { 'idempotency-key': key });
      answers.get(key)?.add(`${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return answers;
}

describe('1,000 keys, each sent 20 times in parallel', () => {
  it('make exactly 1,000 runs, also when all is killed and they are sent again', async () => {
    const first = await sendAll(KEYS);
    expect(await stack.stored()).toBe(KEYS.length);
    const told = [...first.values()].map((answers) => [...answers]);
    expect(told.every((answers) => answers.length === 1 && answers[0]?.startsWith('201 '))).toBe(true);
    expect(new Set(told.flat()).size).toBe(KEYS.length);

    await stack.killEverything();
    const again = await sendAll(KEYS.slice(0, 100));
    for (const [key, answers] of again) expect([key, [...answers]]).toEqual([key, [...(first.get(key) ?? [])]]);
    expect(await stack.stored()).toBe(KEYS.length);

    const other = await stack.post('/agents/runs', { ...body, input: 1 }, { 'idempotency-key': KEYS[0]! });
    expect([other.status, other.body['code']]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });
});
