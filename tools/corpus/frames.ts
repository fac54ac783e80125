/** Cuts recorded streams into their events, and makes streams of events that a corpus keeps without their framing. */
import { EventStreamCodec } from "@smithy/core/event-streams";
import { frame } from "../../tests/support/providers/bedrock.ts";
import { type Fields, fieldsOf } from "../../tests/support/clients/client-formats.ts";
import type { RecordedFormat } from "./recording.ts";

/** One event with the place just behind it in the bytes of its stream. */
export interface RecordedEvent {
  data: Fields;
  /** Name of the event where the stream has names, else empty. */
  name: string;
  endsAt: number;
}

function parsed(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return undefined; // [DONE], and comments
  }
}

function* sseBlocks(body: Buffer): Generator<[text: string, endsAt: number]> {
  let start = 0;
  const text = body.toString("latin1");
  for (const match of text.matchAll(/\r?\n\r?\n/g)) {
    const end = match.index + match[0].length;
    yield [body.subarray(start, match.index).toString("utf8"), end];
    start = end;
  }
  if (start < body.length) yield [body.subarray(start).toString("utf8"), body.length];
}

function sseEvents(body: Buffer): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  for (const [block, endsAt] of sseBlocks(body)) {
    const lines = block.split(/\r?\n/);
    const data = parsed(
      lines
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5))
        .join("\n"),
    );
    const name =
      lines
        .find((line) => line.startsWith("event:"))
        ?.slice(6)
        .trim() ?? "";
    if (data !== undefined) events.push({ data, name, endsAt });
  }
  return events;
}

function lineEvents(body: Buffer): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  for (let start = 0; start < body.length;) {
    const at = body.indexOf(10, start);
    const end = at < 0 ? body.length : at + 1;
    const data = parsed(body.subarray(start, end).toString("utf8"));
    if (data !== undefined) events.push({ data, name: "", endsAt: end });
    start = end;
  }
  return events;
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

/** Amazon's frames; an event of Claude is packed once more, as base64 in `bytes`. */
function amazonEvents(body: Buffer): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  for (let start = 0; start + 4 <= body.length;) {
    const end = start + body.readUInt32BE(start);
    const { headers, body: payload } = codec.decode(body.subarray(start, end));
    const data = parsed(Buffer.from(payload).toString("utf8")) ?? {};
    if (headers[":message-type"] === undefined) throw new Error("a frame without :message-type, as Amazon's none is");
    const inner = data["bytes"];
    const name = String(headers[":event-type"]?.value ?? headers[":exception-type"]?.value ?? "");
    const read = typeof inner === "string" ? parsed(Buffer.from(inner, "base64").toString("utf8")) : undefined;
    events.push({ data: read ?? data, name, endsAt: end });
    start = end;
  }
  return events;
}

/** The events of a stream in their order. Throws for frames of Amazon's that are damaged. */
export function eventsOf(body: Buffer, contentType: string): RecordedEvent[] {
  if (contentType.includes("vnd.amazon.eventstream")) return amazonEvents(body);
  return /ndjson|stream\+json/.test(contentType) ? lineEvents(body) : sseEvents(body);
}

export interface Stream {
  body: Buffer;
  contentType: string;
}

const NAMED: ReadonlySet<RecordedFormat> = new Set(["openai-responses", "anthropic-messages", "cohere"]);

/** The stream whose events are the lines of a file. Lines that are no JSON are left out. */
export function streamOfLines(lines: readonly string[], format: RecordedFormat): Stream {
  const events = lines.map(parsed).filter((event) => event !== undefined);
  if (format === "converse") {
    const frames = events.flatMap((event) =>
      Object.entries(event).map(([name, data]) =>
        frame({ ":message-type": "event", ":event-type": name }, fieldsOf(data)),
      ),
    );
    return { body: Buffer.concat(frames), contentType: "application/vnd.amazon.eventstream" };
  }
  const head = (event: Fields): string => (NAMED.has(format) ? `event: ${String(event["type"])}\n` : "");
  const text = events.map((event) => `${head(event)}data: ${JSON.stringify(event)}\n\n`).join("");
  return {
    body: Buffer.from(format === "openai-chat" ? `${text}data: [DONE]\n\n` : text),
    contentType: "text/event-stream",
  };
}
