/** Balances of all channels, followed as a card with their progress. */
import { getBalanceProgress, stopBalances, updateAllBalances } from "../../../../contract/src/channels/balances.ts";
import type { RunProgress } from "../../../../contract/src/channels/channel-tests.ts";
import { call } from "../../lib/api.ts";
import { type Run, useStartedRun } from "./follow-run.ts";

export const BALANCE_RUN: Run<RunProgress> = {
  texts: "balanceAll",
  progress: () => call(getBalanceProgress, {}),
  stop: () => call(stopBalances, {}),
  runningCode: "channel_balance_running",
  counts: ["failed", "disabled"],
};

/** Asks for the balances of all channels; a run that is under way is shown instead. */
export function useBalanceRun(): () => Promise<void> {
  const start = useStartedRun(BALANCE_RUN);
  return () => start(() => call(updateAllBalances, {}));
}
