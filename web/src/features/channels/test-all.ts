/** The test of all channels as a toast with its progress; closing the toast leaves the run alone, and its end is told all the same. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { getTestProgress, testAllChannels, type TestProgress } from "../../../../contract/src/features/channels.ts";
import { ApiError, call } from "../../lib/api.ts";
import { i18n } from "../../lib/i18n.ts";
import { closeJob, isJobOpen, showJob, toast } from "../../ui/toast-store.ts";
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

const jobOf = (progress: TestProgress) => ({
  title: text("testAll.title"),
  done: progress.done,
  total: progress.total,
  note: noteOf(progress),
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One follower for the page, whoever starts it. */
let isFollowing = false;

/** Shows the run until it ends, then tells how it ended. Failed polls are tried again. */
async function follow(onChange: () => void, isOwn: boolean): Promise<void> {
  if (isFollowing) return;
  isFollowing = true;
  let job: number | undefined;
  try {
    for (;;) {
      const progress = await call(getTestProgress, {}).catch(() => undefined);
      if (progress !== undefined && !progress.running) {
        // A short run may end before its first progress is seen.
        if (isOwn || job !== undefined) toast.success(text("testAll.done", { count: progress.done }), noteOf(progress));
        return;
      }
      if (progress !== undefined && (job === undefined || isJobOpen(job))) job = showJob(jobOf(progress), job);
      await pause(progress === undefined ? SLOW_POLL_MS : POLL_MS);
    }
  } finally {
    if (job !== undefined) closeJob(job);
    isFollowing = false;
    onChange();
  }
}

/** Starts the test of all channels; a run that is under way is shown instead. */
export function useTestAll(): () => Promise<void> {
  const client = useQueryClient();
  const { t } = useTranslation("channels");
  const refresh = useCallback(() => void client.invalidateQueries({ queryKey: CHANNELS_KEY }), [client]);
  // A run that was left by closing the tab is shown again.
  useEffect(() => {
    void call(getTestProgress, {}).then(
      (progress) => (progress.running ? follow(refresh, false) : undefined),
      () => undefined,
    );
  }, [refresh]);
  return async () => {
    try {
      await call(testAllChannels, {});
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "channel_test_running") {
        toast.error(error, t("testAll.notStarted"));
        return;
      }
    }
    await follow(refresh, true);
  };
}
