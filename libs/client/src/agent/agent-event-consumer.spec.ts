import { describe, expect, it } from '@jest/globals';
import { AgentEventConsumer } from './agent-event-consumer.js';
import type { AgentEvent, NoticeEvent } from './agent-events.js';

const by = { node: 'plan', taskKey: '1/plan', attempt: 1 };
const thought: NoticeEvent = { type: 'thought', text: 'hm', ...by };
const asked: Extract<AgentEvent, { type: 'queryConsent' }> = {
  ...{ type: 'queryConsent', requestId: 'r1', question: 'May I?' },
};
const asking = { signal: new AbortController().signal };

describe('AgentEventConsumer', () => {
  it('hands an event to all who registered for its type, and to nobody else', () => {
    const told: string[] = [];
    const consumer = new AgentEventConsumer({ thought: ({ text }) => told.push(`first ${text}`) });
    const off = consumer.on('thought', ({ text }) => told.push(`second ${text}`));
    consumer.on('content', () => told.push('content'));
    consumer.tell(thought);
    off();
    consumer.tell(thought);
    expect(told).toEqual(['first hm', 'second hm', 'first hm']);
  });

  it('goes on behind a handler that throws, and reports what it threw', async () => {
    const reported: unknown[] = [];
    const consumer = new AgentEventConsumer({}, (error) => reported.push(error));
    const told: string[] = [];
    consumer.on('thought', () => {
      throw new Error('at once');
    });
    consumer.on('thought', async () => Promise.reject(new Error('later')));
    consumer.on('thought', () => told.push('told'));
    consumer.tell(thought);
    expect(told).toEqual(['told']);
    await new Promise(setImmediate);
    expect(reported).toEqual([new Error('at once'), new Error('later')]);
  });

  it('answers a question with what its handler returns', async () => {
    const consumer = new AgentEventConsumer({
      queryConsent: async ({ question }) => ({ consent: question === 'May I?' }),
    });
    expect(consumer.canAnswer('queryConsent')).toBe(true);
    expect(await consumer.ask(asked, asking)).toEqual({ consent: true });
  });

  it('has one handler for a question, and says so', async () => {
    const consumer = new AgentEventConsumer();
    expect(consumer.canAnswer('queryConsent')).toBe(false);
    await expect(consumer.ask(asked, asking)).rejects.toThrow('Nobody answers queryConsent');
    const off = consumer.on('queryConsent', () => ({ consent: true }));
    expect(() => consumer.on('queryConsent', () => ({ consent: false }))).toThrow('Somebody answers queryConsent');
    off();
    consumer.on('queryConsent', () => ({ consent: false }));
    expect(await consumer.ask(asked, asking)).toEqual({ consent: false });
  });
});
