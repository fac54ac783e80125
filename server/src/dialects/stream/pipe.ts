/** Translates a stream: each event of the upstream is decoded and encoded for a client of another dialect; part of the hub. */
import type { ToolCalls, Usage } from "../../../../contract/src/pricing/usage.ts";
import type { ErrorInfo } from "../neutral/info.ts";
import type { FrameKind, StreamDecoder, StreamEncoder, StreamPipe } from "./stream.ts";
import type { NeutralEvent } from "../neutral/neutral.ts";
import { latin1Of, readEvent } from "./sse-event.ts";
import { noteToolCall } from "../neutral/usage-counts.ts";
import { TokenEstimate } from "../neutral/token-estimate.ts";

/** Decodes each event of the upstream and encodes it for the client; what closes the answer waits in the encoder. */
export class TranslatePipe implements StreamPipe {
  readonly words = new TokenEstimate();
  deltas = 0;
  hasFinish = false;
  hasDone = false;
  rawUsage: unknown = undefined;
  readonly toolCalls: ToolCalls[] = [];
  errorText = "";
  out = "";
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
    this.words.addText(text);
    if (text !== "") this.deltas += 1;
  }

  closing(usage: Usage): Buffer[] {
    return [Buffer.from(this.#encoder.close(usage))];
  }

  failing(error: ErrorInfo): Buffer {
    return Buffer.from(this.#encoder.fail(error));
  }
}
