/** Level by level and not by calls, since what it guards against is a value deeper than calls can be. */
export const nestingExceeds = (value: unknown, levels: number): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((each): unknown[] => (each !== null && typeof each === 'object' ? Object.values(each) : []));
  }
  return false;
};
