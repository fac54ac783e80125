/** A background run over channels as a card with its progress; closing the card does not stop the run, and a message says how it ended. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import type { RunProgress } from "../../../../contract/src/channels/channel-tests.ts";
import { ApiError } from "../../lib/api.ts";
import { translate } from "../../lib/i18n.ts";
import { closeJob, isJobOpen, showJob, type ToastAction, toast } from "../../ui/feedback/toast-store.ts";
import { CHANNELS_KEY } from "./queries.ts";

const POLL_MS = 800;
const SLOW_POLL_MS = 4000;

/** A kind of run: what is asked of the server, and under which name its texts stand. */
export interface Run<Progress extends RunProgress> {
  texts: "testAll" | "balanceAll";
  progress: () => Promise<Progress>;
  stop: () => Promise<unknown>;
  /** Code of the refusal to start it while one is under way. */
  runningCode: string;
  /** Fields of its progress to show, each with its number. */
  counts: readonly (keyof Progress & string)[];
  /** Address of the list of those that failed, where there is one. */
  failedSearch?: { test: "failed" };
}

interface Follower {
  onChange: () => void;
  /** Shows the channels that failed. */
  showFailed: () => void;
}

type Text = (key: string, values?: Record<string, unknown>) => string;

const textsOf =
  ({ texts }: Pick<Run<RunProgress>, "texts">): Text =>
  (key, values = {}) =>
    translate(`channels:${texts}.${key}`, values);

/** "1 failed, 1 disabled"; undefined while there is nothing to say. */
function noteOf<Progress extends RunProgress>(run: Run<Progress>, progress: Progress): string | undefined {
  const text = textsOf(run);
  const said = run.counts.filter((name) => Number(progress[name]) > 0);
  if (said.length === 0) return undefined;
  return said.map((name) => text(name, { count: progress[name] })).join(text("comma"));
}

/** "main lane, spare and 3 more": which failed. */
function failedNames(text: Text, { failed, failures }: RunProgress): string {
  const names = failures.map(({ name }) => name).join(text("comma"));
  const rest = failed - failures.length;
  return rest > 0 ? text("namesMore", { names, count: rest }) : names;
}

const pause = (ms: number, wake: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

/** The end with failures stays until closed; any other is a short message. */
function tellEnd<Progress extends RunProgress>(run: Run<Progress>, progress: Progress, follower: Follower): void {
  const text = textsOf(run);
  const { done, total, failed, stopped } = progress;
  if (failed > 0) {
    const title = stopped ? text("stoppedFailed", { done, total }) : text("someFailed");
    const action: ToastAction | undefined =
      run.failedSearch === undefined ? undefined : { label: text("showFailed"), onClick: follower.showFailed };
    toast.error(new Error(failedNames(text, progress)), title, action === undefined ? {} : { action });
  } else if (stopped) toast.info(text("stopped"), text("stoppedText", { done, total }));
  else toast.success(text("done", { count: done }), noteOf(run, progress));
}

/** One follower of each kind for the page, whichever part starts it. */
const followed = new Set<Run<never>["texts"]>();

/** Stops the run; the next look at its progress comes at once. */
async function stop(run: Pick<Run<RunProgress>, "stop" | "texts">, wake: AbortController): Promise<void> {
  try {
    await run.stop();
  } catch (error) {
    toast.error(error, textsOf(run)("notStopped"));
  }
  wake.abort();
}

/** Shows the run until it ends, then its result. Failed polls are tried again. */
async function follow<Progress extends RunProgress>(
  run: Run<Progress>,
  follower: Follower,
  isOwn: boolean,
): Promise<void> {
  if (followed.has(run.texts)) return;
  followed.add(run.texts);
  let job: number | undefined;
  try {
    for (;;) {
      const wake = new AbortController();
      const progress = await run.progress().catch(() => undefined);
      if (progress !== undefined && !progress.running) {
        // A short run may end before its first progress is seen.
        if (isOwn || job !== undefined) tellEnd(run, progress, follower);
        return;
      }
      if (progress !== undefined && (job === undefined || isJobOpen(job))) {
        const { done, total } = progress;
        const onStop = () => void stop(run, wake);
        job = showJob({ title: textsOf(run)("title"), done, total, note: noteOf(run, progress), onStop }, job);
      }
      await pause(progress === undefined ? SLOW_POLL_MS : POLL_MS, wake.signal);
    }
  } finally {
    if (job !== undefined) closeJob(job);
    followed.delete(run.texts);
    follower.onChange();
  }
}

function useFollow<Progress extends RunProgress>(run: Run<Progress>): (isOwn: boolean) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useCallback(
    (isOwn) =>
      follow(
        run,
        {
          onChange: () => void client.invalidateQueries({ queryKey: CHANNELS_KEY }),
          showFailed: () => void navigate({ to: "/channel", search: { ...run.failedSearch } }),
        },
        isOwn,
      ),
    [run, client, navigate],
  );
}

/** A run that was left by closing the tab is shown again. */
export function useFollowedRun<Progress extends RunProgress>(run: Run<Progress>): void {
  const followRun = useFollow(run);
  useEffect(() => {
    void run.progress().then(
      (progress) => (progress.running ? followRun(false) : undefined),
      () => undefined,
    );
  }, [run, followRun]);
}

/** Starts a run by `begin`; one that is under way is shown instead, and a refusal where `isChosen` meant others. */
export function useStartedRun<Progress extends RunProgress>(
  run: Run<Progress>,
): (begin: () => Promise<unknown>, isChosen?: boolean) => Promise<void> {
  const client = useQueryClient();
  const followRun = useFollow(run);
  return async (begin, isChosen = false) => {
    try {
      await begin();
    } catch (error) {
      const isRunning = error instanceof ApiError && error.code === run.runningCode;
      if (!isRunning || isChosen) toast.error(error, textsOf(run)("notStarted"));
      if (!isRunning) return client.invalidateQueries({ queryKey: CHANNELS_KEY });
    }
    await followRun(true);
  };
}
