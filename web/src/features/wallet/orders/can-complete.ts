/** Which orders an administrator may complete by hand. Pure. */
import type { ManagedOrder } from "../../../../../contract/src/features/wallet.ts";

/** Those whose payment the provider has not reported (still open, past their day, or failed), and those that are not in the balance. */
export const canComplete = ({ status }: Pick<ManagedOrder, "status">): boolean =>
  status === "pending" || status === "ended" || status === "failed" || status === "uncredited";
