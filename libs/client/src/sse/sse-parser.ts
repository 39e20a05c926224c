export interface SseFrame {
  /** `message` when the server gave it no name. */
  readonly event: string;
  readonly data: string;
  /** The id this very frame carried. One without does not move the cursor. */
  readonly id?: string;
}

/**
 * Bytes of `text/event-stream` to frames, as the HTML standard says: lines end in CR, LF or CRLF, a chunk may end
 * anywhere, also inside a character. A frame that was begun and never closed by an empty line is not given out.
 */
export class SseParser {
  /** What the server asked reconnecting clients to wait, once it has. */
  retryMs: number | undefined;

  readonly #decoder = new TextDecoder(); // drops a byte order mark, and keeps half a character for the next chunk
  #line = '';
  #endedInCr = false;
  #event = '';
  #data: string[] = [];
  #id: string | undefined;

  push(chunk: Uint8Array): SseFrame[] {
    const text = this.#decoder.decode(chunk, { stream: true });
    const frames: SseFrame[] = [];
    let from = 0;
    if (text.length > 0) {
      if (this.#endedInCr && text.startsWith('\n')) from = 1; // the other half of a CRLF
      this.#endedInCr = false;
    }
    for (;;) {
      const end = nextLineEnd(text, from);
      if (end < 0) break;
      const frame = this.#take(this.#line + text.slice(from, end));
      if (frame) frames.push(frame);
      this.#line = '';
      const isCr = text[end] === '\r';
      from = isCr && text[end + 1] === '\n' ? end + 2 : end + 1;
      this.#endedInCr = isCr && from === text.length && text[end + 1] === undefined;
    }
    this.#line += text.slice(from);
    return frames;
  }

  #take(line: string): SseFrame | undefined {
    if (line === '') return this.#close();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined; // a comment
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    return undefined;
  }

  #close(): SseFrame | undefined {
    const frame: SseFrame = {
      event: this.#event || 'message',
      data: this.#data.join('\n'),
      ...(this.#id === undefined ? {} : { id: this.#id }),
    };
    const isEmpty = this.#data.length === 0;
    this.#event = '';
    this.#data = [];
    this.#id = undefined;
    return isEmpty ? undefined : frame;
  }
}

const nextLineEnd = (text: string, from: number): number => {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) return at;
  }
  return -1;
};
