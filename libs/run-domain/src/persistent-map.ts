interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
}
/** Keys with the same hash share a leaf. */
interface Leaf<K, V> {
  readonly code: number;
  readonly entries: readonly Entry<K, V>[];
}
type Branch<K, V> = readonly (Node<K, V> | undefined)[];
type Node<K, V> = Leaf<K, V> | Branch<K, V>;

const BITS = 4;
const WIDTH = 1 << BITS;

/**
 * A map that never changes: `set` and `delete` give another one and share all but one path with it. A run of ten
 * thousand nodes would otherwise copy ten thousand entries for each of its events.
 */
export class PersistentMap<K extends string, V> {
  private constructor(
    private readonly root: Node<K, V> | undefined,
    readonly size: number,
  ) {}

  static empty<K extends string, V>(): PersistentMap<K, V> {
    return new PersistentMap<K, V>(undefined, 0);
  }

  get(key: K): V | undefined {
    return find(this.root, hash(key), key)?.value;
  }

  has(key: K): boolean {
    return find(this.root, hash(key), key) !== undefined;
  }

  set(key: K, value: V): PersistentMap<K, V> {
    const code = hash(key);
    const before = find(this.root, code, key);
    if (before && before.value === value) return this;
    return new PersistentMap(put(this.root, code, { key, value }, 0), this.size + (before ? 0 : 1));
  }

  delete(key: K): PersistentMap<K, V> {
    const code = hash(key);
    if (!find(this.root, code, key)) return this;
    return new PersistentMap(drop(this.root, code, key, 0), this.size - 1);
  }

  /** In no order anybody should rely on. */
  values(): V[] {
    const found: V[] = [];
    collect(this.root, found);
    return found;
  }
}

const isBranch = <K, V>(node: Node<K, V>): node is Branch<K, V> => Array.isArray(node);

const slotOf = (code: number, shift: number): number => (code >>> shift) & (WIDTH - 1);

const find = <K, V>(root: Node<K, V> | undefined, code: number, key: K): Entry<K, V> | undefined => {
  let node = root;
  for (let shift = 0; node !== undefined && isBranch(node); shift += BITS) node = node[slotOf(code, shift)];
  return node?.code === code ? node.entries.find((entry) => entry.key === key) : undefined;
};

const put = <K, V>(node: Node<K, V> | undefined, code: number, entry: Entry<K, V>, shift: number): Node<K, V> => {
  if (node === undefined) return { code, entries: [entry] };
  if (isBranch(node)) {
    const slot = slotOf(code, shift);
    return node.with(slot, put(node[slot], code, entry, shift + BITS));
  }
  if (node.code === code) return { code, entries: [...node.entries.filter(({ key }) => key !== entry.key), entry] };
  const split = new Array<Node<K, V> | undefined>(WIDTH).fill(undefined).with(slotOf(node.code, shift), node);
  return put(split, code, entry, shift);
};

const drop = <K, V>(node: Node<K, V> | undefined, code: number, key: K, shift: number): Node<K, V> | undefined => {
  if (node === undefined) return undefined;
  if (isBranch(node)) {
    const slot = slotOf(code, shift);
    const rest = node.with(slot, drop(node[slot], code, key, shift + BITS));
    return rest.every((child) => child === undefined) ? undefined : rest;
  }
  const entries = node.entries.filter((entry) => entry.key !== key);
  return entries.length === 0 ? undefined : { code, entries };
};

const collect = <K, V>(node: Node<K, V> | undefined, found: V[]): void => {
  if (node === undefined) return;
  if (isBranch(node)) for (const child of node) collect(child, found);
  else for (const entry of node.entries) found.push(entry.value);
};

/** FNV-1a, stirred so that keys differing in their last letter (`9/plan`, `9/plao`) part in the first levels. */
const hash = (text: string): number => {
  let code = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) code = Math.imul(code ^ text.charCodeAt(at), 0x01000193);
  code = Math.imul(code ^ (code >>> 16), 0x85ebca6b);
  code = Math.imul(code ^ (code >>> 13), 0xc2b2ae35);
  return (code ^ (code >>> 16)) >>> 0;
};
