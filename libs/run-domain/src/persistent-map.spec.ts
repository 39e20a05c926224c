import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PersistentMap } from './persistent-map.js';

/** Pairs whose hashes (FNV-1a of 32 bits) are equal: they must share a leaf and still be two. */
const TWINS = ['costarring', 'liquid', 'declinate', 'macallums', 'altarage', 'zinke'];
const NAMES = [...TWINS, '', '__proto__', 'constructor', '1/plan', '1/plao', '2/write[0]', '2/write[1]'];
const key = fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 3 }));

type Change = { readonly key: string; readonly value?: number };
const changes = fc.array(fc.record<Change, 'key'>({ key, value: fc.nat(5) }, { requiredKeys: ['key'] }), {
  maxLength: 200,
  size: 'max',
});

const apply = (map: PersistentMap<string, number>, change: Change): PersistentMap<string, number> =>
  change.value === undefined ? map.delete(change.key) : map.set(change.key, change.value);

const applyTo = (model: Map<string, number>, change: Change): void => {
  if (change.value === undefined) model.delete(change.key);
  else model.set(change.key, change.value);
};

const empty = PersistentMap.empty<string, number>();
const sorted = (values: Iterable<number>): number[] => [...values].sort((left, right) => left - right);

describe('a persistent map', () => {
  it('holds what a Map would after the same changes', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const model = new Map<string, number>();
        let map = empty;
        for (const change of list) {
          map = apply(map, change);
          applyTo(model, change);
          expect(map.size).toBe(model.size);
        }
        expect(sorted(map.values())).toEqual(sorted(model.values()));
        for (const name of [...NAMES, ...list.map((change) => change.key)]) {
          expect([map.has(name), map.get(name)]).toEqual([model.has(name), model.get(name)]);
        }
      }),
    );
  });

  it('never changes what was given out', () => {
    fc.assert(
      fc.property(changes, changes, (before, later) => {
        const kept = before.reduce(apply, empty);
        const names = [...NAMES, ...[...before, ...later].map((change) => change.key)];
        const held = names.map((name) => kept.get(name));
        later.reduce(apply, kept);
        expect(names.map((name) => kept.get(name))).toEqual(held);
      }),
    );
  });

  it('is the very same when nothing changes', () => {
    const map = empty.set('liquid', 1).set('costarring', 2);
    expect(map.set('liquid', 1)).toBe(map);
    expect(map.delete('zinke')).toBe(map);
    expect(map.delete('costarring').delete('liquid').size).toBe(0);
  });

  it('keeps apart two keys that hash alike', () => {
    const map = empty.set('costarring', 1).set('liquid', 2);
    expect([map.get('costarring'), map.get('liquid'), map.size]).toEqual([1, 2, 2]);
    expect(map.delete('liquid').get('costarring')).toBe(1);
    expect(map.set('liquid', 3).values().sort()).toEqual([1, 3]);
  });

  it('tells a key whose value is undefined from one it does not have', () => {
    const map = PersistentMap.empty<string, undefined>().set('here', undefined);
    expect([map.has('here'), map.has('there'), map.size]).toEqual([true, false, 1]);
  });

  it('holds ten thousand keys, and none once they are gone', () => {
    const keys = Array.from({ length: 10_000 }, (_, index) => `${index}/node[${index % 7}]`);
    const full = keys.reduce((map, name, index) => map.set(name, index), empty);
    expect(full.size).toBe(10_000);
    expect(keys.every((name, index) => full.get(name) === index)).toBe(true);
    const gone = keys.reduce((map, name) => map.delete(name), full);
    expect([gone.size, gone.values()]).toEqual([0, []]);
  });
});
