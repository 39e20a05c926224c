import { describe, expect, it } from '@jest/globals';
import { AgentDetail, AgentsPage } from '@millrace/contracts';
import { announcementOf } from '@millrace/testing';
import { AgentQueries } from './agent-queries.js';
import { AnnouncedAgents } from './announced.for-spec.js';

const world = () => {
  const announced = new AnnouncedAgents({ chat: undefined });
  announced.announce(announcementOf('echo', { title: 'Echo', description: 'Old.', conversational: true }));
  announced.announce(announcementOf('echo', { version: '2', title: 'Echo', description: 'New.' }));
  announced.announce(announcementOf('zebra'));
  return { announced, agents: new AgentQueries(announced.known) };
};

describe('The catalogue', () => {
  it('lists agents by their ids, page by page, and says which are served', () => {
    const { announced, agents } = world();
    announced.serve(['echo', '1']);
    const first = AgentsPage.parse(agents.list(2));
    expect(first).toEqual({
      agents: [
        { id: 'chat', version: '1', conversational: false, served: false },
        { id: 'echo', version: '1', title: 'Echo', description: 'Old.', conversational: true, served: true },
      ],
      nextCursor: 'echo',
    });
    const last = AgentsPage.parse(agents.list(2, first.nextCursor));
    expect([last.agents.map(({ id }) => id), last.nextCursor]).toEqual([['zebra'], undefined]);
  });

  it('shows an agent in the version a run would start with, and in any other', async () => {
    const { announced, agents } = world();
    expect(AgentDetail.parse(await agents.detail('echo'))).toMatchObject({
      ...{ id: 'echo', version: '2', description: 'New.', served: false },
      versions: [
        { version: '2', served: false },
        { version: '1', served: false },
      ],
    });
    announced.serve(['echo', '1']);
    expect(await agents.detail('echo')).toMatchObject({ version: '1', served: true });
    expect(await agents.detail('echo', '2')).toMatchObject({ version: '2', served: false });
    expect(await agents.detail('echo')).not.toHaveProperty('announcedBy');
  });

  it('names what there is in place of what there is not', async () => {
    const { announced, agents } = world();
    await expect(agents.detail('ekho')).rejects.toMatchObject({
      ...{ code: 'AGENT_NOT_FOUND', message: 'There is no agent ekho: there are chat, echo, zebra' },
    });
    await expect(agents.detail('echo', '9')).rejects.toMatchObject({
      ...{ code: 'AGENT_NOT_FOUND', message: 'Agent echo has no version 9: there are 2, 1' },
    });
    announced.unheard.push(announcementOf('echo', { version: '9' }));
    expect(await agents.detail('echo', '9')).toMatchObject({ version: '9' });
  });
});
