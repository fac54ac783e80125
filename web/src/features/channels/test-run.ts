/** Tests of all or of chosen channels, followed as a card with their progress. */
import type { TestProgress } from "../../../../contract/src/channels/channel-tests.ts";
import type { ChannelChoice } from "../../../../contract/src/channels/channel-list.ts";
import {
  getTestProgress,
  stopTests,
  testAllChannels,
  testChosenChannels,
} from "../../../../contract/src/features/channels.ts";
import { call } from "../../lib/api.ts";
import { type Run, useStartedRun } from "./follow-run.ts";

export const TEST_RUN: Run<TestProgress> = {
  texts: "testAll",
  progress: () => call(getTestProgress, {}),
  stop: () => call(stopTests, {}),
  runningCode: "channel_test_running",
  counts: ["failed", "disabled", "enabled"],
  failedSearch: { test: "failed" },
};

/** Starts the test of the chosen channels, or of all; a run that is under way is shown instead. */
export function useTestRun(): (choice?: ChannelChoice) => Promise<void> {
  const start = useStartedRun(TEST_RUN);
  return (choice) =>
    choice === undefined
      ? start(() => call(testAllChannels, {}))
      : start(() => call(testChosenChannels, { body: choice }), true);
}
