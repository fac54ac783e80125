/** Parses one server-sent event into name and data, and writes it (html.spec.whatwg.org, server-sent events); part of the hub. */

export interface SseEvent {
  /** Empty where there is none. */
  event: string;
  /** The joined data lines; empty where there are none. */
  data: string;
}

/** Reads one whole event. `bytes` are UTF-8; `text` the same bytes as Latin-1, used to see whether decoding is needed at all. */
export function readEvent(bytes: Buffer, text: string): SseEvent {
  let [event, data, hasData] = ["", "", false];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const next = newline < 0 ? text.length : newline + 1;
    let end = newline < 0 ? text.length : newline;
    if (text.charCodeAt(end - 1) === 13) end -= 1;
    if (text.startsWith("data:", start)) {
      const from = text.charCodeAt(start + 5) === 32 ? start + 6 : start + 5;
      const line = bytes.toString("utf8", from, end);
      data = hasData ? `${data}\n${line}` : line;
      hasData = true;
    } else if (text.startsWith("event:", start)) event = text.slice(start + 6, end).trim();
    start = next;
  }
  return { event, data };
}

/** The UTF-8 bytes of a text, as Latin-1. */
export const latin1Of = (text: string): string =>
  Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString("latin1");

/** A frame with only data. */
export const dataFrame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
/** A frame with the name of its event. */
export const eventFrame = (event: string, value: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`;

/** A comment that keeps a connection open; clients ignore it. */
export const PING_FRAME = ": PING\n\n";
