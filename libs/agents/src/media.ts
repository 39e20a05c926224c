import type { AttachedFile } from './files.js';

/** Media that can be made without any service: a picture of the words, and a tone that is theirs. */
export const MEDIA = {
  image: (prompt: string): AttachedFile => file('image.svg', 'image/svg+xml', Buffer.from(drawn(prompt))),
  audio: (prompt: string): AttachedFile => file('audio.wav', 'audio/wav', toneOf(prompt)),
} as const;
export type Medium = keyof typeof MEDIA;

const file = (name: string, mimeType: string, bytes: Buffer): AttachedFile => ({
  ...{ name, mediaType: mimeType, inlineData: { mimeType, data: bytes.toString('base64') } },
});

const drawn = (text: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="120"><rect width="480" height="120" fill="#f4f1ea"/>` +
  `<text x="24" y="68" font-family="sans-serif" font-size="24">${escaped(text)}</text></svg>`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const SAMPLES_PER_SECOND = 8_000;
const SAMPLES = SAMPLES_PER_SECOND / 4;

/** A quarter of a second of one tone in a WAV file (PCM, mono, 8 bit); other words give another pitch. */
const toneOf = (text: string): Buffer => {
  const hertz = 220 + ([...text].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % 660);
  const samples = Buffer.from(
    Array.from({ length: SAMPLES }, (_, at) => 128 + 100 * Math.sin((2 * Math.PI * hertz * at) / SAMPLES_PER_SECOND)),
  );
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16); // length of what follows up to `data`
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // channels
  head.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 28); // bytes per second
  head.writeUInt16LE(1, 32); // bytes per sample
  head.writeUInt16LE(8, 34); // bits per sample
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
};
