import { RequestId } from '@millrace/contracts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * A ULID that follows from what it is about: a node that asks the same thing again asks it under the same id. Two
 * rounds of a 64-bit hash (FNV-1a, stirred) give the 130 bits; it guards against accidents, not against attackers.
 */
export const stableRequestId = (...about: readonly (string | number)[]): RequestId => {
  const text = about.join('\u0000');
  const letters: string[] = [];
  for (let round = 0; letters.length < 26; round += 1) {
    let bits = hash(`${round}\u0000${text}`);
    for (let at = 0; at < 12 && letters.length < 26; at += 1) {
      letters.push(ALPHABET[Number(bits & 31n)]!);
      bits >>= 5n;
    }
  }
  letters[0] = ALPHABET[ALPHABET.indexOf(letters[0]!) % 8]!; // the first letter of a ULID holds three bits
  return RequestId.parse(letters.join(''));
};

const MASK = (1n << 64n) - 1n;

const hash = (text: string): bigint => {
  let code = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at += 1) code = ((code ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n) & MASK;
  code = ((code ^ (code >> 33n)) * 0xff51afd7ed558ccdn) & MASK;
  code = ((code ^ (code >> 33n)) * 0xc4ceb9fe1a85ec53n) & MASK;
  return code ^ (code >> 33n);
};
