import type { Problem } from '@millrace/contracts';
import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import { problemOf } from './problem-of.js';

interface FailedRequest {
  readonly method: string;
  readonly url: string;
  readonly requestId?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
interface ProblemReply {
  status(code: number): ProblemReply;
  headers(values: Record<string, string>): ProblemReply;
  removeHeader(name: string): unknown;
  send(body: string): unknown;
}

/** Whatever went wrong, wherever: the answer is a problem with a stable code, and says nothing of our insides. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log = new Logger('Http');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FailedRequest>();
    const reply = http.getResponse<ProblemReply>();
    const { method, url, requestId } = request;
    const { status, code, title, headers, ...more } = problemOf(error);
    if (status >= 500) this.tell(`${method} ${url} answered ${status} ${code} (request ${requestId})`, error);
    const [instance] = url.split('?');
    const problem: Problem = { type: 'about:blank', title, status, code, instance, requestId, ...more };
    if (status === 413 && willEndSoon(request)) reply.removeHeader('connection');
    reply
      .status(status)
      .headers({ 'content-type': 'application/problem+json; charset=utf-8', ...headers })
      .send(JSON.stringify(problem));
  }

  private tell(what: string, error: unknown): void {
    if (error instanceof Error) this.#log.error(`${what}: ${error.message}`, error.stack);
    else this.#log.error(`${what}: ${String(error)}`);
  }
}

/**
 * A connection closed while the client is still sending is reset, and the answer is lost on the way: the client sees a
 * broken pipe and repeats its mistake. So the rest is read and forgotten, when it is not too much.
 */
const willEndSoon = ({ headers }: FailedRequest): boolean => Number(headers['content-length']) <= MOST_FORGOTTEN_BYTES;

const MOST_FORGOTTEN_BYTES = 32 * 1024 ** 2;
