/** Deeper than any input of an agent; what walks a value by calls would end in a stack that is full. */
export const DEEPEST = 100;

/** Level by level and not by calls, since what it guards against is a value deeper than calls can be. */
export const nestingExceeds = (value: unknown, levels: number): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((each): unknown[] => (each !== null && typeof each === 'object' ? Object.values(each) : []));
  }
  return false;
};
