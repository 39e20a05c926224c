import { describe, expect, it } from '@jest/globals';
import type { LlmRequest } from '@millrace/ports';
import { fakeContext } from './fake-context.for-spec.js';
import { createImprover, improverScript } from './improver.agent.js';
import { runAgent } from './run-agent.for-spec.js';

const input = {
  ...{ runId: 'r', agent: 'chat', status: 'FAILED', summary: 'Asked chat: hello', note: 'shorter, please' },
  recentErrors: [{ message: 'slow' }, { message: 'overloaded', node: 'think' }],
};

const toldBy = async (given: unknown): Promise<LlmRequest> => {
  const requests: LlmRequest[] = [];
  const context = fakeContext({ llm: (request) => (requests.push(request), { text: 'Ask for less.' }) });
  expect(await runAgent(createImprover({ model: 'm' }), given, context)).toEqual({ text: 'Ask for less.' });
  return requests[0]!;
};

describe('improver', () => {
  it('tells its model what was asked, what went wrong and what is wished', async () => {
    expect(await toldBy(input)).toMatchObject({
      model: 'm',
      messages: [
        {
          content: [
            { text: 'Agent chat, FAILED. Asked chat: hello' },
            { text: 'Error: slow' },
            { text: 'Error: think: overloaded' },
            { text: 'Wish: shorter, please' },
          ],
        },
      ],
    });
  });

  it('passes on the last error and the wish when it has no model', async () => {
    const { turns } = improverScript(await toldBy(input));
    expect(turns[0]?.says).toEqual([
      'Last time this went wrong: think: overloaded',
      '\nThe person asks: shorter, please',
    ]);
    const calm = improverScript(await toldBy({ ...input, recentErrors: [], note: undefined }));
    expect(calm.turns[0]?.says).toEqual(['Nothing went wrong last time.']);
  });
});
