import { AgentAnnouncement, WorkerId } from '@millrace/contracts';

export const aWorkerId = WorkerId.parse('01JD0000000000000000000009');

/** What a worker announces of an agent that takes anything. */
export const announcementOf = (id: string, about: object = {}): AgentAnnouncement =>
  AgentAnnouncement.parse({
    ...{ format: '1', id, version: '1', policies: [], speakers: [id], conversational: false, tools: [] },
    ...{ graph: { nodes: [], edges: [] }, announcedBy: aWorkerId, ...about },
  });
