import { CLOSING_EVENT, type StreamClosing } from '@millrace/contracts';
import type { Frame } from './frame.js';

/**
 * The frames of one event. Only the last has the id: who was cut off between them asks for the whole event again.
 * JSON holds no line ends, so every `data:` is one line.
 */
export const encodeFrames = (id: number | string, frames: readonly Frame[]): string =>
  frames
    .map(({ event, data }, at) => {
      const name = event === undefined ? '' : `event: ${event}\n`;
      const place = at === frames.length - 1 ? `id: ${id}\n` : '';
      return `${name}${place}data: ${JSON.stringify(data)}\n\n`;
    })
    .join('');

/** The frame of an event in the native dialect, of the JSON text it is stored as. */
export const encodeStored = (id: number, text: string): string => `id: ${id}\ndata: ${text}\n\n`;

export const encodeRetry = (afterMs: number): string => `retry: ${afterMs}\n\n`;

/** A comment: no event, no id. With padding it also fills the buffers of proxies that wait for enough. */
export const encodeHeartbeat = (paddingBytes = 0): string => `: ping${' '.repeat(paddingBytes)}\n\n`;

export const encodeClosing = (closing: StreamClosing): string =>
  `event: ${CLOSING_EVENT}\ndata: ${JSON.stringify(closing)}\n\n`;
