/** What PostgreSQL cannot keep in a text (NUL, half a surrogate pair) becomes U+FFFD; whatever is no text stays. */
export const storable = <Row extends object>(row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? storableText(value) : value]),
  ) as Row;

export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

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
export const moment = (ts: string): string => new Date(ts).toISOString();
