/** Wraps a stream's pipe to change the answers of a channel; part of the hub. */
import type { ToolCalls, Usage } from "../../../../contract/src/pricing/usage.ts";
import type { ErrorInfo } from "../neutral/info.ts";
import type { CountedText } from "../neutral/token-estimate.ts";
import type { FrameKind, StreamPipe } from "./stream.ts";

/** Counts, usage and end flags are those of the inner pipe: a change of an answer's form does not change its cost. */
export abstract class PipeWrapper implements StreamPipe {
  out = "";
  protected readonly inner: StreamPipe;

  constructor(inner: StreamPipe) {
    this.inner = inner;
  }

  get words(): CountedText {
    return this.inner.words;
  }
  get deltas(): number {
    return this.inner.deltas;
  }
  get hasFinish(): boolean {
    return this.inner.hasFinish;
  }
  get hasDone(): boolean {
    return this.inner.hasDone;
  }
  get pictures(): number | undefined {
    return this.inner.pictures;
  }
  get toolCalls(): readonly ToolCalls[] | undefined {
    return this.inner.toolCalls;
  }
  get rawUsage(): unknown {
    return this.inner.rawUsage;
  }
  get errorText(): string {
    return this.inner.errorText;
  }

  abstract push(bytes: Buffer, text: string): FrameKind;

  closing(usage: Usage): Buffer[] {
    return this.inner.closing(usage);
  }

  failing(error: ErrorInfo): Buffer {
    return this.inner.failing(error);
  }
}
