import { Catch, Controller, type RpcExceptionFilter, applyDecorators, UseFilters } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/**
 * Nest answers an error in a message handler with "Internal server error" and drops the error itself; but its
 * `redelivery` decides what becomes of the message. So it is handed on as it is.
 */
@Catch()
export class PassErrorsOn implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/** A controller whose `@EventPattern`s are subjects of a durable consumer. */
export const ConsumerController = (): ClassDecorator => applyDecorators(Controller(), UseFilters(PassErrorsOn));
