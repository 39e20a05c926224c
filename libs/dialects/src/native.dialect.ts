import { type Dialect, isShown } from './frame.js';

/** The events as they are in the log. */
export const nativeDialect: Dialect = (event) => (isShown(event) ? [{ data: event }] : []);
