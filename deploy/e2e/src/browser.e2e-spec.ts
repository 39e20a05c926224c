import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isPublic, type RunId } from '@millrace/contracts';
import { bundleForBrowser, startTestChromium } from '@millrace/testing/browsers';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Web } from './web.for-spec.js';

const CLIENT = join(import.meta.dirname, '..', '..', '..', 'libs', 'client', 'src', 'index.ts');
const ANSWERS = [{ text: 'Ada' }, { choice: 'words' }];

describe('A real browser', () => {
  let web: Web;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    const html = { type: 'text/html', body: '<!doctype html><title>runs</title>' };
    const script = { type: 'text/javascript', body: bundleForBrowser(CLIENT).code };
    [web, browser] = await Promise.all([Web.start({ '/': html, '/client.js': script }), startTestChromium()]);
    page = await browser.newPage();
    page.on('pageerror', (error) => console.error(error));
    await page.goto(web.origin.url);
  });
  afterAll(async () => {
    await browser?.close();
    await web?.stop();
  });

  const begin = async () => {
    const client = await web.client();
    const order = { agent: 'chat', appId: 'e2e', policy: 'default', input: { text: 'the mill turns' } };
    return { client, runId: (await client.runs.create(order)).runId };
  };
  /** What the page has got so far, once it has got as much as was wanted. */
  const seenOnce = async (isEnough: string): Promise<number[]> => {
    await page.waitForFunction(`(${isEnough})(globalThis.seen)`, undefined, { timeout: 120_000 });
    return page.evaluate('globalThis.seen.map(({ sequence }) => sequence)');
  };
  const questions = (count: number) =>
    `(seen) => seen.filter(({ kind }) => kind === 'InputRequested').length >= ${count}`;
  const ended = `(seen) => seen.some(({ kind }) => kind === 'RunFinished')`;
  /** The page follows while the gateway is killed under it, twice, and the run is answered from elsewhere. */
  const goThrough = async (runId: RunId) => {
    const client = await web.client();
    for (const [at, answer] of ANSWERS.entries()) {
      await seenOnce(questions(at + 1));
      await web.replace('stream-gateway');
      const { openInputs } = await client.runs.get(runId);
      await client.runs.answer(runId, openInputs[0]?.requestId ?? '', answer);
    }
    const seen = await seenOnce(ended);
    const all = (await web.cluster.log.read({ tenantId: web.cluster.tenantId, runId })).events.filter(isPublic);
    expect(seen).toEqual(all.map((_, sequence) => sequence));
  };

  it('follows a run with its own EventSource and a ticket over gateways that are killed, and stops when it has ended', async () => {
    const { client, runId } = await begin();
    const url = await client.runs.ticketedUrl(runId);
    await page.evaluate((address) => {
      const seen: unknown[] = [];
      const source = new EventSource(address);
      source.onmessage = ({ data }) => seen.push(JSON.parse(data as string));
      Object.assign(globalThis, { seen, source });
    }, url);
    await goThrough(runId);
    // The browser comes back after the end as after any other; the gateway's 204 tells it to stay away.
    await page.waitForFunction('globalThis.source.readyState === EventSource.CLOSED');
  });

  it('does not let a ticket in twice, nor without the cookie it was changed for', async () => {
    const { client, runId } = await begin();
    const url = await client.runs.ticketedUrl(runId);
    const first = new AbortController();
    expect((await fetch(url, { signal: first.signal })).status).toBe(200);
    expect((await fetch(url)).status).toBe(401);
    first.abort();
    await client.runs.cancel(runId);
  });

  it('follows a run with streamRun over gateways that are killed', async () => {
    const { runId } = await begin();
    const token = await web.cluster.token();
    await page.evaluate(
      async ([script, id, bearer]) => {
        const { createClient } = (await import(script)) as typeof import('@millrace/client');
        const client = createClient({ baseUrl: '', getToken: () => bearer, retry: { firstMs: 20, mostMs: 500 } });
        const seen: unknown[] = [];
        Object.assign(globalThis, { seen });
        void (async () => {
          for await (const event of client.streamRun(id)) seen.push(event);
          Object.assign(globalThis, { isOver: true });
        })();
      },
      ['/client.js', runId, token] as const,
    );
    await goThrough(runId);
    await page.waitForFunction('globalThis.isOver === true');
  });
});
