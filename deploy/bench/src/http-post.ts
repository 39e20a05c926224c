import { type Agent, request } from 'node:http';

export interface Post {
  readonly url: string;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What the server answered; rejects unless it created something. */
export const post = ({ url, agent, headers, body }: Post): Promise<string> =>
  new Promise((resolve, reject) => {
    const allHeaders = { ...headers, 'content-type': 'application/json', 'content-length': body.length };
    const sent = request(url, { method: 'POST', agent, headers: allHeaders }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.once('end', () =>
        answer.statusCode === 201 ? resolve(text) : reject(new Error(`${url} answered ${answer.statusCode}: ${text}`)),
      );
    });
    sent.once('error', reject);
    sent.end(body);
  });
