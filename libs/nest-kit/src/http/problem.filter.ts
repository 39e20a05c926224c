import type { Problem } from '@millrace/contracts';
import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import { problemOf } from './problem-of.js';

interface FailedRequest {
  readonly method: string;
  readonly url: string;
  readonly requestId?: string;
}
interface ProblemReply {
  status(code: number): ProblemReply;
  headers(values: Record<string, string>): ProblemReply;
  send(body: string): unknown;
}

/** Whatever went wrong, wherever: the answer is a problem with a stable code, and says nothing of our insides. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log = new Logger('Http');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const { method, url, requestId } = http.getRequest<FailedRequest>();
    const { status, code, title, headers, ...more } = problemOf(error);
    if (status >= 500) this.tell(`${method} ${url} answered ${status} ${code} (request ${requestId})`, error);
    const [instance] = url.split('?');
    const problem: Problem = { type: 'about:blank', title, status, code, instance, requestId, ...more };
    http
      .getResponse<ProblemReply>()
      .status(status)
      .headers({ 'content-type': 'application/problem+json; charset=utf-8', ...headers })
      .send(JSON.stringify(problem));
  }

  private tell(what: string, error: unknown): void {
    if (error instanceof Error) this.#log.error(`${what}: ${error.message}`, error.stack);
    else this.#log.error(`${what}: ${String(error)}`);
  }
}
