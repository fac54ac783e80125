/** Passes events of pictures, transcripts and speech through unchanged; the one that completes the answer waits for the charge. */
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { ErrorInfo } from "../../dialects/neutral/info.ts";
import type { FrameKind, StreamPipe } from "../../dialects/stream/stream.ts";
import { parseObject, textOf } from "../../dialects/json/fields.ts";
import { readEvent } from "../../dialects/stream/sse-event.ts";
import { addUsage } from "../metering/reported-usage.ts";
import { TokenEstimate } from "../../dialects/neutral/token-estimate.ts";

/** Endings of the event types that complete an answer: image_generation.completed, transcript.text.done, speech.audio.done. */
const COMPLETES = /\.(?:completed|done)$/;
/** Events with a picture or sound are long; only the front of those is looked at. */
const LONG_EVENT = 16_384;
const TYPE = /"type"\s*:\s*"([\w.]{1,64})"/;
const DONE_MARK = "[DONE]";

export class OperationPass implements StreamPipe {
  readonly words = new TokenEstimate();
  deltas = 0;
  hasFinish = false;
  hasDone = false;
  rawUsage: unknown = undefined;
  errorText = "";
  out = "";
  /** Whole pictures; one that came only in part counts as one if nothing better follows. */
  pictures = 0;
  #completed = 0;

  push(bytes: Buffer, text: string): FrameKind {
    this.out = text;
    const { event, data } = readEvent(bytes, text);
    if (data === "") return "other";
    if (data === DONE_MARK) return this.#done();
    const type = event || (TYPE.exec(data.slice(0, LONG_EVENT))?.[1] ?? "");
    if (COMPLETES.test(type)) return this.#complete(data);
    if (type === "error" || (type === "" && parseObject(data)?.["error"] !== undefined)) {
      this.errorText = data;
      return "error";
    }
    return this.#delta(type, data);
  }

  #done(): FrameKind {
    this.hasDone = true;
    return "closing";
  }

  #delta(type: string, data: string): FrameKind {
    this.deltas += 1;
    if (type.endsWith(".partial_image")) this.pictures = Math.max(this.pictures, this.#completed + 1);
    else if (data.length < LONG_EVENT) this.words.addText(textOf(parseObject(data)?.["delta"]));
    return "delta";
  }

  /** Each picture of several has an event of its own, with its own usage. */
  #complete(data: string): FrameKind {
    this.hasFinish = true;
    this.#completed += 1;
    this.pictures = this.#completed;
    const usage = parseObject(data)?.["usage"];
    if (usage !== undefined && usage !== null) this.rawUsage = addUsage(this.rawUsage, usage);
    return "closing";
  }

  /** These streams have no frames of their own behind the last event. */
  closing(_usage: Usage): Buffer[] {
    return [];
  }

  failing({ message, type, code, param }: ErrorInfo): Buffer {
    const error = { message, type, code, param };
    return Buffer.from(`event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`);
  }
}
