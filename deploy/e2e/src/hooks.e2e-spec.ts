import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MillraceClient, PublicEvent } from '@millrace/client';
import { isPublic, type RunId } from '@millrace/contracts';
import type { ReactNode } from 'react';
import { openDom } from './dom.for-spec.js';
import { Web } from './web.for-spec.js';

openDom('http://127.0.0.1/');
const { createElement, StrictMode } = await import('react');
const { act, cleanup, render, renderHook, waitFor } = await import('@testing-library/react');
const { MillraceProvider, useCoalescedTokens, usePendingInputs, useRun, useRuns, useRunStream } =
  await import('@millrace/react');

const PATIENT = { timeout: 60_000 };
const CHAT = { agent: 'chat', appId: 'e2e', policy: 'default', input: { text: 'the mill turns' } };

describe('Hooks in a DOM, with the services as they are', () => {
  let web: Web;
  let client: MillraceClient;
  beforeAll(async () => {
    web = await Web.start();
    client = await web.client();
  });
  afterAll(async () => {
    cleanup();
    await web?.stop();
  });

  const around = ({ children }: { children: ReactNode }) =>
    createElement(StrictMode, undefined, createElement(MillraceProvider, { client }, children));
  const logOf = async (runId: RunId) =>
    (await web.cluster.log.read({ tenantId: web.cluster.tenantId, runId })).events.filter(isPublic);

  it('follow a run over a gateway that is killed, and answer what it asks', async () => {
    const { runId } = await client.runs.create(CHAT);
    const { result } = renderHook(
      () => ({ stream: useRunStream(runId), inputs: usePendingInputs(runId), state: useRun(runId) }),
      { wrapper: around },
    );
    const asked = (type: string) =>
      waitFor(() => expect(result.current.inputs.pending.map(({ request }) => request.type)).toEqual([type]), PATIENT);
    const answer = (response: { text: string } | { choice: string }) => {
      const [open] = result.current.inputs.pending;
      return act(() => result.current.inputs.answer(open?.requestId ?? '', response));
    };

    await asked('waitForInput');
    await act(() => web.replace('stream-gateway'));
    expect(await answer({ text: 'Ada' })).toBe(true);
    await asked('waitForChoice');
    await waitFor(() => expect(result.current.state.run?.openInputs).toHaveLength(1), PATIENT);
    expect(await answer({ choice: 'words' })).toBe(true);

    await waitFor(() => expect(result.current.stream.connection).toBe('ended'), PATIENT);
    expect(result.current.stream.events).toEqual(await logOf(runId));
    await waitFor(() => expect(result.current.state.run?.status).toBe('SUCCEEDED'), PATIENT);
    expect(result.current.inputs.pending).toEqual([]);
  });

  it('draw the same page live and after it was loaded again', async () => {
    const { runId } = await client.runs.create({ ...CHAT, agent: 'echo', input: { text: 'a b c d e f g h' } });
    const Story = () => {
      const { events } = useRunStream(runId);
      return useCoalescedTokens(events).map((event) =>
        createElement('li', { key: event.eventId }, event.kind === 'TokenDelta' ? event.text : event.kind),
      );
    };
    const textOf = (element: HTMLElement) => element.textContent;
    const page = () => createElement(around, { children: createElement(Story) });
    const live = render(page());
    await waitFor(() => expect(textOf(live.container)).toContain('RunFinished'), PATIENT);
    const shown = textOf(live.container);
    live.unmount();
    const again = render(page());
    await waitFor(() => expect(textOf(again.container)).toContain('RunFinished'), PATIENT);
    expect(textOf(again.container)).toBe(shown);
    const said = (await logOf(runId)).filter((event): event is PublicEvent & { text: string } => 'text' in event);
    expect(shown).toContain(said.map(({ text }) => text).join(''));
  });

  it('list the runs there are', async () => {
    const { runId } = await client.runs.create({ ...CHAT, agent: 'echo', projectId: 'hooks' });
    const { result } = renderHook(() => useRuns({ projectId: 'hooks' }), { wrapper: around });
    await waitFor(() => {
      if (!result.current.isLoading && result.current.runs.length === 0) act(() => result.current.refresh());
      expect(result.current.runs.map(({ id }) => id)).toEqual([runId]);
    }, PATIENT);
  });
});
