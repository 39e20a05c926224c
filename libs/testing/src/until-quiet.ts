import type { MemoryPlatform } from '@millrace/adapter-memory';

/** Resolves when all that can happen at this time has happened: for a platform whose clock is moved by hand. */
export const untilQuiet = async ({ store: { runs, tasks } }: Pick<MemoryPlatform, 'store'>): Promise<void> => {
  for (let turns = 0, seen = ''; turns < 20; turns += 1) {
    const now = `${runs.lastPlace} ${tasks.lastPlace} ${tasks.messages.length}`;
    if (now !== seen) [seen, turns] = [now, 0];
    await new Promise(setImmediate);
  }
};
