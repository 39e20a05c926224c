/**
 * What of a value is for people to read: the text itself, the `text` of an object, the texts of a list of such parts
 * (the shape of a model's content). Empty when it has none.
 */
export const saidText = (value: unknown): string =>
  Array.isArray(value) ? value.map(textOfPart).join('') : textOfPart(value);

const textOfPart = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object') return '';
  return 'text' in value && typeof value.text === 'string' ? value.text : '';
};
