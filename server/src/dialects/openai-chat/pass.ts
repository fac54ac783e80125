/** An OpenAI-style stream on its way through as it is: the line's view of StreamTap, and the frames that may be missing at the end. */
import type { Usage } from "../../../../contract/src/usage.ts";
import type { AnswerFacts, ErrorFacts, FrameKind, PassOptions, StreamPipe } from "../dialect.ts";
import { StreamTap, withoutEmptyUsage } from "./stream.ts";
import { DONE_FRAME, errorFrame, usageFrame } from "./frames.ts";

export class ChatPassPipe extends StreamTap implements StreamPipe {
  out = "";
  readonly #facts: AnswerFacts;
  readonly #options: PassOptions;
  #done: Buffer | undefined = undefined;

  constructor(facts: AnswerFacts, options: PassOptions) {
    super(options.choices);
    this.#facts = facts;
    this.#options = options;
  }

  push(bytes: Buffer, text: string): FrameKind {
    const kind = this.classify(text);
    this.out = text;
    switch (kind) {
      case "delta":
        if (this.#options.hidesUsage) this.out = withoutEmptyUsage(text);
        return "delta";
      case "finish":
        if (this.#options.hidesUsage) this.out = withoutEmptyUsage(text);
        return "closing";
      case "usage":
        if (!this.#facts.asksUsage) this.out = "";
        return "closing";
      case "done":
        this.out = "";
        this.#done = bytes;
        return "closing";
      default:
        return kind;
    }
  }

  /** A usage frame that was asked for and never came is added, and so is `[DONE]`. */
  closing(usage: Usage): Buffer[] {
    const frames: Buffer[] = [];
    if (this.#facts.asksUsage && this.rawUsage === undefined)
      frames.push(Buffer.from(usageFrame(this.#facts, this.#options.isChat, usage)));
    frames.push(this.#done ?? Buffer.from(DONE_FRAME));
    return frames;
  }

  failing(error: ErrorFacts): Buffer {
    return Buffer.from(errorFrame(error));
  }
}
