/** A stream's pipe around another one, for what a channel changes in its answers; part of the hub. */
import type { ToolCalls, Usage } from "../../../contract/src/usage.ts";
import type { ErrorFacts, FrameKind, StreamPipe } from "./dialect.ts";

/** Counts, usage and marks are those of the pipe inside: a change of an answer's form is no change of what it costs. */
export abstract class PipeAround implements StreamPipe {
  out = "";
  protected readonly inner: StreamPipe;

  constructor(inner: StreamPipe) {
    this.inner = inner;
  }

  get asciiBytes(): number {
    return this.inner.asciiBytes;
  }
  get otherBytes(): number {
    return this.inner.otherBytes;
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

  failing(error: ErrorFacts): Buffer {
    return this.inner.failing(error);
  }
}
