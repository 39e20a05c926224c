// Writes the recorded histories that are missing, from the built test kit (`nx run testing:build`). What was recorded
// is never written again: it stands for a log that exists.
import { writeFile } from 'node:fs/promises';
import { HISTORY_SCRIPTS, recordHistory } from './dist/builders/history-scripts.js';

for (const [name, orders] of Object.entries(HISTORY_SCRIPTS)) {
  const lines = recordHistory(orders).map((event) => `  ${JSON.stringify(event)}`);
  const written = await writeFile(new URL(`histories/${name}.json`, import.meta.url), `[\n${lines.join(',\n')}\n]\n`, {
    flag: 'wx',
  })
    .then(() => true)
    .catch((error) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    });
  console.log(`histories/${name}.json: ${written ? `${lines.length} events written` : 'kept as it is'}`);
}
