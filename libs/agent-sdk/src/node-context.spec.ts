import { describe, expect, it } from '@jest/globals';
import { fakeNodeContext } from './fake-node-context.for-spec.js';
import { nodeContext, runWithContext } from './node-context.js';

describe('nodeContext', () => {
  it('is the context of the body that runs, over everything it awaits', async () => {
    const [one, other] = [fakeNodeContext(), fakeNodeContext()];
    const body = async () => {
      await new Promise(setImmediate);
      return nodeContext();
    };
    const seen = await Promise.all([runWithContext(one, body), runWithContext(other, body)]);
    expect(seen[0]).toBe(one);
    expect(seen[1]).toBe(other);
  });

  it('is refused outside of a body', () => {
    expect(() => nodeContext()).toThrow('nodeContext() is only there while the body of a node runs');
  });
});
