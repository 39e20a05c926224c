import { eventFixture, RUN_EVENT_KINDS } from '@millrace/contracts';

export interface MalformedEvent {
  /** What is wrong with it, for the title of a failure. */
  readonly sort: string;
  /** As it would arrive from the wire. */
  readonly bytes: Uint8Array;
}

/** Events that are none, every sort equally often. The same seed gives the same bytes. */
export const malformedEvents = (count: number, seed: number): MalformedEvent[] => {
  const dice = new Dice(seed);
  return Array.from({ length: count }, (_, index) => {
    const [sort, make] = SORTS[index % SORTS.length]!;
    return { sort, bytes: make(dice) };
  });
};

type Event = Record<string, unknown>;
type Sort = readonly [name: string, make: (dice: Dice) => Uint8Array];

const REQUIRED = ['eventId', 'tenantId', 'runId', 'position', 'ts', 'kind', 'version'] as const;
const IDS = ['eventId', 'tenantId', 'runId'] as const;
const HOSTILE = ['*', '>', 'a.b', '..', ' ', '\r\n', '\0', 'é'.repeat(26), '$JS.API.STREAM.DELETE.RUNS', '__proto__'];
const INHERITED = ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf'];
const WRONG: readonly unknown[] = [null, true, -1, 0.5, '', [], {}, [[]], { toString: 1, valueOf: 1 }, 'x'.repeat(300)];
const SCALARS: readonly unknown[] = [null, true, false, 0, -1, 1e308, '', 'RunStarted', [], [null], {}];
const DEPTH = 5_000;

const SORTS: readonly Sort[] = [
  ['a required field is missing', (dice) => json(omit(anEvent(dice), dice.pick(REQUIRED)))],
  [
    'a required field has the wrong type',
    (dice) => json({ ...anEvent(dice), [dice.pick(REQUIRED)]: dice.pick(WRONG) }),
  ],
  ['an id is hostile', (dice) => json({ ...anEvent(dice), [dice.pick(IDS)]: dice.pick(HOSTILE) })],
  ['an id is in lower case', (dice) => json({ ...anEvent(dice), [dice.pick(IDS)]: '01jd0000000000000000000002' })],
  ['an id is huge', (dice) => json({ ...anEvent(dice), [dice.pick(IDS)]: 'A'.repeat(5_000 + dice.below(50_000)) })],
  ['the kind is unknown', (dice) => json({ ...anEvent(dice), kind: `Run${dice.word()}` })],
  ['the kind is a name every object has', (dice) => json({ ...anEvent(dice), kind: dice.pick(INHERITED) })],
  ['the version is unknown', (dice) => json({ ...anEvent(dice), version: dice.pick(['0', '2', '1.0', 1]) })],
  ['a counter is no counter', (dice) => json({ ...anEvent(dice), position: dice.pick([-1, 1.5, '7', 1e300, null]) })],
  ['the time is none', (dice) => json({ ...anEvent(dice), ts: dice.pick(['now', '2026-13-01T00:00:00Z', 0, '']) })],
  ['a public event has no sequence', () => json(omit(eventFixture('RunStarted'), 'sequence'))],
  ['an internal event has a sequence', (dice) => json({ ...eventFixture('RunRequested'), sequence: dice.below(9) })],
  ['a hidden tool has a sequence', () => json({ ...eventFixture('ToolRequested'), tool: 'handoff_to_critic' })],
  ['an agent event names no agent', () => json(omit(eventFixture('TokenDelta'), 'agentId'))],
  ['the text is empty', () => json({ ...eventFixture('TokenDelta'), text: '' })],
  ['a name is huge', (dice) => json({ ...eventFixture('NodeStarted'), node: 'n'.repeat(201 + dice.below(100_000)) })],
  ['a field is nested deeply', (dice) => nested(anEvent(dice), dice.pick(REQUIRED))],
  ['it is nothing but brackets', () => encode('['.repeat(DEPTH) + ']'.repeat(DEPTH))],
  ['it is an array of events', (dice) => json([anEvent(dice), anEvent(dice)])],
  ['it is a scalar or empty', (dice) => json(dice.pick(SCALARS))],
  ['its fields come by __proto__', (dice) => encode(`{"__proto__":${JSON.stringify(anEvent(dice))}}`)],
  ['its fields come by constructor', (dice) => json({ constructor: { prototype: anEvent(dice) } })],
  ['it is no JSON', (dice) => encode(dice.pick(['', ' ', '{', 'undefined', '<event/>', "{'kind':1}", dice.word()]))],
  ['it is cut short', (dice) => cut(json(anEvent(dice)), dice)],
  ['it is two events in one', (dice) => encode(JSON.stringify(anEvent(dice)).repeat(2))],
  ['it is no UTF-8', (dice) => spoil(json(anEvent(dice)), dice)],
  ['it is noise', (dice) => Uint8Array.from({ length: 1 + dice.below(500) }, () => 128 + dice.below(64))],
];

const anEvent = (dice: Dice): Event => ({ ...eventFixture(dice.pick(RUN_EVENT_KINDS)) });
const omit = (event: object, field: string): Event =>
  Object.fromEntries(Object.entries(event).filter(([name]) => name !== field));

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const json = (value: unknown): Uint8Array => encode(JSON.stringify(value));

/** Written as text: building it as a value would exhaust the stack of JSON.stringify. */
const nested = (event: Event, field: string): Uint8Array => {
  const rest = JSON.stringify(omit(event, field)).slice(1);
  return encode(`{"${field}":${'{"kind":['.repeat(DEPTH)}${']}'.repeat(DEPTH)},${rest}`);
};

/** Any cut leaves at least the closing brace out. */
const cut = (bytes: Uint8Array, dice: Dice): Uint8Array => bytes.slice(0, dice.below(bytes.length));

/** A lone continuation byte somewhere inside is never valid. */
const spoil = (bytes: Uint8Array, dice: Dice): Uint8Array => {
  const spoiled = bytes.slice();
  spoiled[1 + dice.below(bytes.length - 1)] = 0x80 + dice.below(0x40);
  return spoiled;
};

/** A small generator with a seed (mulberry32): the same thousand on every machine. */
class Dice {
  constructor(private state: number) {}

  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  word(): string {
    return Array.from({ length: 8 }, () => String.fromCharCode(97 + this.below(26))).join('');
  }
}
