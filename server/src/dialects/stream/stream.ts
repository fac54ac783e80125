/** The interfaces of every format's stream: following (passthrough), decoding and encoding; part of the hub. */
import type { ToolCalls, Usage } from "../../../../contract/src/pricing/usage.ts";
import type { ErrorInfo } from "../neutral/info.ts";
import type { NeutralEvent } from "../neutral/neutral.ts";
import type { CountedText } from "../neutral/token-estimate.ts";

/**
 * `delta` is some of the answer and is sent at once. `closing` closes the answer and waits for the settlement. `error` is the
 * upstream's own error event. `other` is a comment, a ping or an event without text.
 */
export type FrameKind = "delta" | "closing" | "error" | "other";

/** Follows one upstream stream: classifies its events, counts what was delivered, and gives the bytes for the client. */
export interface StreamPipe {
  /** Text of the answer so far. */
  readonly words: CountedText;
  /** Events that carried some of the answer. */
  readonly deltas: number;
  /** The finish of every answer asked for was seen. */
  readonly hasFinish: boolean;
  /** The vendor's own end of a complete stream was seen. */
  readonly hasDone: boolean;
  /** Whole pictures so far, where the answer is pictures. */
  readonly pictures?: number | undefined;
  /** Calls of the vendor's priced tools so far, without their prices; absent where its usage has them all along. */
  readonly toolCalls?: readonly ToolCalls[] | undefined;
  /** Usage as the upstream wrote it last; undefined while none came. */
  readonly rawUsage: unknown;
  /** Text of the upstream's error event. */
  readonly errorText: string;
  /** What the event just pushed is for the client, its bytes as Latin-1; empty for nothing. A `closing` event's bytes wait. */
  readonly out: string;
  /** Takes one whole event; `text` is its bytes as Latin-1. */
  push(bytes: Buffer, text: string): FrameKind;
  /** Frames behind everything that was held, once the charge is committed. */
  closing(usage: Usage): Buffer[];
  /** Ends a stream that has begun with an error. */
  failing(error: ErrorInfo): Buffer;
}

export interface PassthroughOptions {
  /** The upstream was made to send usage that the client did not ask for. */
  hidesUsage: boolean;
  /** chat or completions: their frames differ a little. */
  isChat: boolean;
  choices: number;
}

/** Decodes the events of an upstream's stream into neutral ones. Synchronous; exceptions are faults of this program only. */
export interface StreamDecoder {
  /** `event` is the name behind `event:`, empty where there is none; `data` the joined data lines as text. */
  push(event: string, data: string): readonly NeutralEvent[];
}

/** Encodes neutral events as frames for a client, in the order of its vendor's grammar. */
export interface StreamEncoder {
  /** Frames for one event; finish, usage and end give none here, for they close the answer. */
  push(event: NeutralEvent): string;
  /** Everything that closes the answer, after the charge: open blocks, finish reasons, usage, the end event. */
  close(usage: Usage): string;
  /** Ends the stream with an error instead. */
  fail(error: ErrorInfo): string;
}
