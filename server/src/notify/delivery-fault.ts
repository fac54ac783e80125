/** Why a message could not be delivered: a code for readers, and the receiver's response. */
import { Fault } from "../../../contract/src/fault.ts";
import type { DeliveryFailure } from "../../../contract/src/notifications.ts";
import { redact } from "../observe/logger.ts";

const DETAIL_MAX = 300;

/** `detail` is redacted and cut; `isFinal`: a retry cannot succeed. */
export class DeliveryFault extends Fault<DeliveryFailure> {
  readonly detail: string;
  readonly isFinal: boolean;

  constructor(
    kind: DeliveryFailure,
    detail: string,
    { isFinal = false, cause }: { isFinal?: boolean; cause?: unknown } = {},
  ) {
    const shown = redact(detail.replaceAll(/\p{Cc}+/gu, " ").trim()).slice(0, DETAIL_MAX);
    super(kind, `${kind}: ${shown}`, cause);
    this.detail = shown;
    this.isFinal = isFinal;
  }
}
