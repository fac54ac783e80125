/** Converts streams of lines of JSON and of AWS's binary frames to event streams while they arrive. */
import { EventStreamCodec } from "@smithy/core/event-streams";
import { objectOf, parseJson } from "../util/json-read.ts";
import { UpstreamFault } from "./fault.ts";

/** Takes bytes as they come and gives the events that are whole now, as an event stream has them. */
export interface Framer {
  /** Throws UpstreamFault `too_long` or `decode`. */
  push(chunk: Buffer): Buffer;
  /** What is left at the end of the stream. */
  end(): Buffer;
}

type FramingFaultKind = "too_long" | "decode";

const tooLong = (limitBytes: number): UpstreamFault<FramingFaultKind> =>
  new UpstreamFault("too_long", `a frame of the upstream is longer than ${limitBytes} bytes`);

const NEWLINE = 10;
const NO_BYTES = Buffer.alloc(0);

/** Lines of JSON (application/x-ndjson): each line an event without a name. */
class LineFramer implements Framer {
  readonly #limitBytes: number;
  #rest: Buffer = NO_BYTES;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  push(chunk: Buffer): Buffer {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    this.#rest = bytes.subarray(end);
    if (this.#rest.length > this.#limitBytes) throw tooLong(this.#limitBytes);
    return eventsOf(bytes.toString("utf8", 0, end));
  }

  end(): Buffer {
    const last = this.#rest.toString("utf8");
    this.#rest = NO_BYTES;
    return eventsOf(last);
  }
}

function eventsOf(text: string): Buffer {
  const lines = text.split("\n").map((line) => line.trim());
  return Buffer.from(lines.flatMap((line) => (line === "" ? [] : [`data: ${line}\n\n`])).join(""));
}

/** Total length, length of the headers, and their checksum (docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html). */
const PRELUDE_BYTES = 12;

/**
 * AWS's event stream. A frame's event type names the event; its payload is the data, opened where it is base64 in `bytes` (Bedrock,
 * docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_PayloadPart.html). Exceptions get their name as `__type`, where AWS's
 * other answers have it.
 */
class AwsFramer implements Framer {
  readonly #limitBytes: number;
  readonly #codec = new EventStreamCodec(
    (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
    (text) => Buffer.from(text, "utf8"),
  );
  #rest: Buffer = NO_BYTES;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  push(chunk: Buffer): Buffer {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let events = "";
    while (bytes.length >= PRELUDE_BYTES) {
      const length = bytes.readUInt32BE(0);
      if (length > this.#limitBytes) throw tooLong(this.#limitBytes);
      if (length < PRELUDE_BYTES) throw new UpstreamFault("decode", "the upstream sent a frame without a length");
      if (bytes.length < length) break;
      events += this.#event(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
    }
    this.#rest = bytes;
    return Buffer.from(events);
  }

  #event(frame: Buffer): string {
    const { headers, body } = this.#decode(frame);
    const valueOf = (name: string): string => String(headers[name]?.value ?? "");
    const payload = Buffer.from(body).toString("utf8");
    const type = valueOf(":message-type");
    if (type === "event") return eventText(valueOf(":event-type"), payload);
    const name = valueOf(":exception-type") || valueOf(":error-code") || "exception";
    const message = valueOf(":error-message");
    return `event: ${name}\ndata: ${JSON.stringify({ message, ...objectOf(parseJson(payload)), __type: name })}\n\n`;
  }

  #decode(frame: Buffer) {
    try {
      return this.#codec.decode(frame);
    } catch (error) {
      throw new UpstreamFault("decode", "the upstream sent a frame whose checksum is wrong", error);
    }
  }

  end(): Buffer {
    return NO_BYTES;
  }
}

/** Bedrock wraps each event of a model in base64, in one line of JSON: what is inside has a name of its own where it says its type. */
function eventText(name: string, payload: string): string {
  const inner = objectOf(parseJson(payload))["bytes"];
  if (typeof inner !== "string") return `event: ${name}\ndata: ${payload}\n\n`;
  const opened = Buffer.from(inner, "base64").toString("utf8");
  const { type } = objectOf(parseJson(opened));
  return `event: ${typeof type === "string" ? type : name}\ndata: ${opened}\n\n`;
}

const FRAMERS: Readonly<Record<string, (limitBytes: number) => Framer>> = {
  "application/x-ndjson": (limitBytes) => new LineFramer(limitBytes),
  "application/stream+json": (limitBytes) => new LineFramer(limitBytes),
  "application/vnd.amazon.eventstream": (limitBytes) => new AwsFramer(limitBytes),
};

/** What makes an event stream of an answer with this Content-Type; undefined where it is one, or is no stream. */
export function framerFor(contentType: string | string[] | undefined, limitBytes: number): Framer | undefined {
  if (typeof contentType !== "string") return undefined;
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return Object.hasOwn(FRAMERS, type) ? FRAMERS[type]?.(limitBytes) : undefined;
}
