import { readdirSync, readFileSync } from 'node:fs';
import { parseRunEvent, type RunEvent } from '@millrace/contracts';

const FOLDER = new URL('../../histories/', import.meta.url);

export const recordedHistories = (): string[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();

/** Events as a log stored them once. They must fold for ever, whatever has changed since. */
export const recordedHistory = (name: string): RunEvent[] => {
  const events: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));
  if (!Array.isArray(events)) throw new TypeError(`histories/${name}.json is no list of events`);
  return events.map(parseRunEvent);
};
