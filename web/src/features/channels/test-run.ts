/** Tests of all or of chosen channels as a card with its progress; closing the card leaves the run alone, and its end is told all the same. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import type { TestProgress } from "../../../../contract/src/channel-tests.ts";
import type { ChannelChoice } from "../../../../contract/src/channel-list.ts";
import {
  getTestProgress,
  stopTests,
  testAllChannels,
  testChosenChannels,
} from "../../../../contract/src/features/channels.ts";
import { ApiError, call } from "../../lib/api.ts";
import { i18n } from "../../lib/i18n.ts";
import { closeJob, isJobOpen, showJob, toast } from "../../ui/feedback/toast-store.ts";
import { CHANNELS_KEY } from "./queries.ts";

const POLL_MS = 800;
const SLOW_POLL_MS = 4000;

const text = (key: string, values: Record<string, unknown> = {}): string => i18n.t(`channels:${key}`, values);

/** "1 failed, 1 disabled"; undefined while there is nothing to say. */
function noteOf({ failed, disabled, enabled }: TestProgress): string | undefined {
  const parts = [
    failed > 0 && text("testAll.failed", { count: failed }),
    disabled > 0 && text("testAll.disabled", { count: disabled }),
    enabled > 0 && text("testAll.enabled", { count: enabled }),
  ];
  const said = parts.filter((part) => part !== false);
  return said.length === 0 ? undefined : said.join(text("testAll.comma"));
}

/** "main lane, spare and 3 more": whose test failed. */
function failedNames({ failed, failures }: TestProgress): string {
  const names = failures.map(({ name }) => name).join(text("testAll.comma"));
  const rest = failed - failures.length;
  return rest > 0 ? text("testAll.namesMore", { names, count: rest }) : names;
}

const pause = (ms: number, wake: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

/** What follows from a run that the page was told of. */
interface Follower {
  onChange: () => void;
  /** Shows the channels that failed. */
  showFailed: () => void;
}

/** The end with failures stays until closed; any other is told in passing. */
function tellEnd(progress: TestProgress, { showFailed }: Follower): void {
  const { done, total, failed, stopped } = progress;
  if (failed > 0) {
    const title = stopped ? text("testAll.stoppedFailed", { done, total }) : text("testAll.someFailed");
    const action = { label: text("testAll.showFailed"), onClick: showFailed };
    toast.error(new Error(failedNames(progress)), title, { action });
  } else if (stopped) toast.info(text("testAll.stopped"), text("testAll.stoppedText", { done, total }));
  else toast.success(text("testAll.done", { count: done }), noteOf(progress));
}

/** One follower for the page, whoever starts it. */
let isFollowing = false;

/** Stops the run; the next look at its progress comes at once. */
async function stop(wake: AbortController): Promise<void> {
  try {
    await call(stopTests, {});
  } catch (error) {
    toast.error(error, text("testAll.notStopped"));
  }
  wake.abort();
}

/** Shows the run until it ends, then tells how it ended. Failed polls are tried again. */
async function follow(follower: Follower, isOwn: boolean): Promise<void> {
  if (isFollowing) return;
  isFollowing = true;
  let job: number | undefined;
  try {
    for (;;) {
      const wake = new AbortController();
      const progress = await call(getTestProgress, {}).catch(() => undefined);
      if (progress !== undefined && !progress.running) {
        // A short run may end before its first progress is seen.
        if (isOwn || job !== undefined) tellEnd(progress, follower);
        return;
      }
      if (progress !== undefined && (job === undefined || isJobOpen(job))) {
        const { done, total } = progress;
        const onStop = () => void stop(wake);
        job = showJob({ title: text("testAll.title"), done, total, note: noteOf(progress), onStop }, job);
      }
      await pause(progress === undefined ? SLOW_POLL_MS : POLL_MS, wake.signal);
    }
  } finally {
    if (job !== undefined) closeJob(job);
    isFollowing = false;
    follower.onChange();
  }
}

function useFollow(): (isOwn: boolean) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useCallback(
    (isOwn) =>
      follow(
        {
          onChange: () => void client.invalidateQueries({ queryKey: CHANNELS_KEY }),
          showFailed: () => void navigate({ to: "/channel", search: { test: "failed" } }),
        },
        isOwn,
      ),
    [client, navigate],
  );
}

/** A run that was left by closing the tab is shown again. */
export function useFollowedRun(): void {
  const followed = useFollow();
  useEffect(() => {
    void call(getTestProgress, {}).then(
      (progress) => (progress.running ? followed(false) : undefined),
      () => undefined,
    );
  }, [followed]);
}

/** Starts the test of the chosen channels, or of all; a run that is under way is shown instead. */
export function useTestRun(): (choice?: ChannelChoice) => Promise<void> {
  const client = useQueryClient();
  const followed = useFollow();
  return async (choice) => {
    try {
      await (choice === undefined ? call(testAllChannels, {}) : call(testChosenChannels, { body: choice }));
    } catch (error) {
      const isRunning = error instanceof ApiError && error.code === "channel_test_running";
      if (!isRunning || choice !== undefined) toast.error(error, text("testAll.notStarted"));
      if (!isRunning) return client.invalidateQueries({ queryKey: CHANNELS_KEY });
    }
    await followed(true);
  };
}
