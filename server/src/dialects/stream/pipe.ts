/** The two ways a stream goes through: an upstream's own bytes, or decoded and encoded for a client of another dialect; part of the hub. */
import type { ToolCalls, Usage } from "../../../contract/src/usage.ts";
import type { ErrorFacts, FrameKind, StreamDecoder, StreamEncoder, StreamPipe } from "./dialect.ts";
import type { NeutralEvent } from "./neutral.ts";
import { SimilarEvents } from "./similar-events.ts";
import { latin1Of, readEvent } from "./sse-event.ts";
import { noteToolCall } from "./usage-counts.ts";

/** UTF-8 bytes of a text: those below 128 and the rest. */
export function countBytes(text: string): { asciiBytes: number; otherBytes: number } {
  let ascii = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) < 128) ascii += 1;
  return { asciiBytes: ascii, otherBytes: ascii === text.length ? 0 : Buffer.byteLength(text) - ascii };
}

/** Decodes each event of the upstream and encodes it for the client; what closes the answer is kept by the encoder. */
export class TranslatePipe implements StreamPipe {
  asciiBytes = 0;
  otherBytes = 0;
  deltas = 0;
  hasFinish = false;
  hasDone = false;
  rawUsage: unknown = undefined;
  readonly toolCalls: ToolCalls[] = [];
  errorText = "";
  out = "";
  readonly #similar = new SimilarEvents();
  readonly #decoder: StreamDecoder;
  readonly #encoder: StreamEncoder;
  readonly #choices: number;
  #finished = 0;

  /** `choices` is how many answers were asked for: the stream is finished when all are. */
  constructor(decoder: StreamDecoder, encoder: StreamEncoder, choices: number) {
    this.#decoder = decoder;
    this.#encoder = encoder;
    this.#choices = choices;
  }

  push(bytes: Buffer, text: string): FrameKind {
    this.out = "";
    const known = this.#similar.read(bytes, text);
    if (known !== undefined) {
      const data = (): string => readEvent(bytes, text).data;
      return this.#take(this.#decoder.pushObject(this.#similar.event, known, data));
    }
    const { event, data } = readEvent(bytes, text);
    if (event === "" && data === "") return "other";
    return this.#take(this.#decoder.push(event, data));
  }

  #take(events: readonly NeutralEvent[]): FrameKind {
    let frames = "";
    let kind: FrameKind = "other";
    for (const event of events) {
      if (event.kind === "error") {
        this.errorText = event.text;
        return "error";
      }
      this.#note(event);
      if (event.kind === "priced_call") continue;
      const frame = this.#encoder.push(event);
      frames += frame;
      if (frame !== "") kind = "delta";
    }
    if (frames !== "") this.out = latin1Of(frames);
    return kind;
  }

  #note(event: NeutralEvent): void {
    if (event.kind === "usage") this.rawUsage = event.raw;
    else if (event.kind === "finish") this.hasFinish = (this.#finished += 1) >= this.#choices;
    else if (event.kind === "end") this.hasDone = true;
    else if ("text" in event) this.#count(event.text);
    else if (event.kind === "image" || event.kind === "audio") this.deltas += 1;
    else if (event.kind === "tool_call") this.#count(event.name);
    else if (event.kind === "priced_call") noteToolCall(this.toolCalls, event.tool, event.variant);
  }

  #count(text: string): void {
    const { asciiBytes, otherBytes } = countBytes(text);
    this.asciiBytes += asciiBytes;
    this.otherBytes += otherBytes;
    if (text !== "") this.deltas += 1;
  }

  closing(usage: Usage): Buffer[] {
    return [Buffer.from(this.#encoder.close(usage))];
  }

  failing(error: ErrorFacts): Buffer {
    return Buffer.from(this.#encoder.fail(error));
  }
}
