import type { Problem } from '@millrace/contracts';
import { ApiError } from '../errors.js';

/** An answer that is not 2xx as the error it stands for; also one a proxy wrote, which is no problem document. */
export async function readProblem(response: Response): Promise<ApiError> {
  const { status, statusText, headers } = response;
  const retryAfterMs = retryAfterOf(headers.get('retry-after'), Date.now());
  const body = await response.text().catch(() => ''); // cut off on its way: the status still says what happened
  const problem = headers.get('content-type')?.includes('json') ? problemIn(body) : undefined;
  const requestId = problem?.requestId ?? headers.get('x-request-id') ?? undefined;
  return new ApiError(
    {
      title: problem?.title ?? (statusText || 'The server refused the request.'),
      code: problem?.code ?? `HTTP_${status}`,
      status,
      ...(problem?.detail === undefined ? {} : { detail: problem.detail }),
      ...(problem?.errors === undefined ? {} : { errors: problem.errors }),
      ...(requestId === undefined ? {} : { requestId }),
    },
    retryAfterMs,
  );
}

const problemIn = (body: string): Partial<Problem> | undefined => {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
};

/** Seconds or a date. */
export const retryAfterOf = (value: string | null, nowMs: number): number | undefined => {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
};
