import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { DEEPEST, nestingExceeds } from './nesting.js';
import { RequestInvalid } from './request-invalid.js';

/** Everything a client sends passes here: parsed by the schema its parameter names, and refused without one. */
@Injectable()
export class ZodPipe implements PipeTransform {
  transform(value: unknown, { type, schema }: ArgumentMetadata): unknown {
    if (type === 'custom') return value; // made by our own decorators, which check what they take
    if (!(schema instanceof z.ZodType)) throw new TypeError(`A ${type} parameter of a route has no schema`);
    if (nestingExceeds(value, DEEPEST)) {
      throw new RequestInvalid([{ field: type, message: `is nested more than ${DEEPEST} levels deep` }]);
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw RequestInvalid.of(parsed.error, type);
    return parsed.data;
  }
}
