/** Ends a switch that returns nothing: the compiler names the case that is missing. */
export function assertNever(value: never): never {
  throw new TypeError(`Unhandled case: ${JSON.stringify(value)}`);
}
