/** Step 7: the answer on its way back; its last part is kept until the charge is committed. */
import type { SendResult } from "../call/answer.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";

/** What one answer may have in memory, unpacked: the largest are pictures. */
export const MAX_ANSWER_BYTES = 64 * 1_048_576;
export const TOO_LONG = "the upstream's answer is longer than this gateway takes";

/** Takes the answer as it comes; exactly one of `ended` and `failed` comes last. */
export interface Reply {
  data(chunk: Buffer): void;
  ended(): void;
  failed(fault: UpstreamFault): void;
}

/** Told once: a failure while nothing was handed to the client, or the answer. */
export type ReplyDone = (result: SendResult) => void;
