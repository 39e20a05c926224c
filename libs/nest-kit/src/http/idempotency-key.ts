import { IdempotencyKey as Key } from '@millrace/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RequestInvalid } from './request-invalid.js';

/** The key of a creating request, if it has one. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, unknown> }>();
  const parsed = Key.optional().safeParse(headers['idempotency-key']);
  if (!parsed.success) throw RequestInvalid.of(parsed.error, 'Idempotency-Key');
  return parsed.data;
});
