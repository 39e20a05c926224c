/**
 * What PostgreSQL cannot keep in a text (NUL, half a surrogate pair) becomes U+FFFD; whatever is no text stays. The very
 * same row when there is nothing to change, as there hardly ever is: each event passes through here.
 */
export const storable = <Row extends object>(row: Row): Row => {
  let kept = row;
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'string' && !isStorable(value)) kept = { ...kept, [name]: storableText(value) };
  }
  return kept;
};

export const storableText = (text: string): string =>
  isStorable(text) ? text : text.toWellFormed().replaceAll('\0', '\uFFFD');

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** At most `maxLength` characters, the last of them an ellipsis when there was more. */
export const bounded = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;

/** A text a person can read: the text itself, what a conversation says in `text`, or else JSON. */
export const readable = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && 'text' in value && typeof value.text === 'string') return value.text;
  return JSON.stringify(value);
};

/** One spelling for one moment: what a timestamp of the database keeps and gives back. */
export const moment = (ts: string): string =>
  ts.length === SPELLING.length && ts.endsWith('Z') ? ts : new Date(ts).toISOString();

/** What our own clocks write; every event has been parsed, so whatever is as long as this and ends like it is one. */
const SPELLING = '2026-01-12T10:00:00.000Z';
