/** Who is told how calls went, for the dashboard: what the relay needs of it. */
import type { FailureKind } from "../../../../contract/src/call-figures.ts";

/** Whose call it was, where it went and when it began (Unix seconds); ids are 0 where there is none. */
export interface CallPlace {
  readonly createdAt: number;
  readonly userId: number;
  readonly tokenId: number;
  readonly channelId: number;
  readonly model: string;
}

/** Counts in memory: nothing here waits or throws. */
export interface CallCounter {
  /** `firstTokenMs` is 0 where nothing was streamed. */
  succeeded(place: CallPlace, totalMs: number, firstTokenMs: number): void;
  failed(place: CallPlace, kind: FailureKind): void;
  /** A failed attempt after which another channel or key was asked. */
  retried(place: Pick<CallPlace, "createdAt" | "channelId" | "model">, kind: FailureKind): void;
}
