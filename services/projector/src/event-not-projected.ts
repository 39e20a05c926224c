import { PlatformError } from '@millrace/kernel';

/** An event changes no row: it is no event, or the rows it asks for cannot be written. */
export class EventNotProjected extends PlatformError {
  readonly code = 'EVENT_NOT_PROJECTED';
  readonly redelivery = 'park';
}
