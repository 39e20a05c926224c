import { describe, expect, it } from '@jest/globals';
import { MEDIA } from './media.js';

const bytesOf = (file: ReturnType<(typeof MEDIA)['image']>): Buffer =>
  Buffer.from(file.inlineData?.data ?? '', 'base64');

describe('Media', () => {
  it('an image shows the words, whatever is in them', () => {
    expect(bytesOf(MEDIA.image('a < b & c')).toString()).toContain('a &lt; b &amp; c</text></svg>');
  });

  it('an audio clip is a WAV file as long as it says, and another one for other words', () => {
    const clip = bytesOf(MEDIA.audio('a mill'));
    expect(clip.toString('latin1', 0, 4) + clip.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
    expect(clip.readUInt32LE(40)).toBe(clip.length - 44);
    expect(clip.readUInt32LE(4)).toBe(clip.length - 8);
    expect(clip.equals(bytesOf(MEDIA.audio('a mill')))).toBe(true);
    expect(clip.equals(bytesOf(MEDIA.audio('a wheel')))).toBe(false);
  });
});
