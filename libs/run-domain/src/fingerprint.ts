/**
 * Tells whether two JSON values are the same without keeping either: a repeated request is compared with what was
 * requested, whose payload may be large. Object keys count in any order and undefined members not at all, as in JSON.
 * Walks with a stack of its own, since a hostile payload may be nested deeper than calls can be.
 */
export const fingerprint = (value: unknown): string => {
  const lanes: Lanes = [0x3c6ef372, 0x41c6ce57];
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (next instanceof Token) stir(lanes, next.text);
    else if (Array.isArray(next)) pushList(pending, next);
    else if (isRecord(next)) pushRecord(pending, next);
    else stir(lanes, JSON.stringify(next) ?? 'null');
  }
  return lanes.map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('');
};

type Lanes = [number, number];

class Token {
  constructor(readonly text: string) {}
}
const LIST = new Token('[');
const RECORD = new Token('{');
const END = new Token('}');

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const pushList = (pending: unknown[], list: readonly unknown[]): void => {
  pending.push(END);
  for (let at = list.length - 1; at >= 0; at -= 1) pending.push(list[at]);
  pending.push(LIST);
};

const pushRecord = (pending: unknown[], record: Record<string, unknown>): void => {
  pending.push(END);
  for (const key of Object.keys(record).sort().reverse()) {
    if (record[key] !== undefined) pending.push(record[key], new Token(JSON.stringify(key)));
  }
  pending.push(RECORD);
};

/** Two lanes of 32 bits over every character and a separator, so that ["ab"] and ["a","b"] differ. */
const stir = (lanes: Lanes, text: string): void => {
  let [left, right] = lanes;
  for (let at = 0; at <= text.length; at += 1) {
    const unit = at < text.length ? text.charCodeAt(at) : 0x1_0000;
    left = Math.imul(left ^ unit, 0x9e3779b1);
    left ^= left >>> 15;
    right = Math.imul(right ^ unit, 0x5f356495);
    right ^= right >>> 13;
  }
  lanes[0] = left;
  lanes[1] = right;
};
