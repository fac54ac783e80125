/** The deletion of old entries as a toast with its progress, shown again after a reload; closing it does not stop the run. */
import { type ClearProgress, getClearProgress, startClear, stopClear } from "../../../../contract/src/features/logs.ts";
import { call } from "../../lib/api.ts";
import { formatNumber } from "../../lib/format.ts";
import { translate } from "../../lib/i18n.ts";
import { readStored, STORAGE, writeStored } from "../../lib/storage.ts";
import { viewer } from "../../lib/viewer.ts";
import { closeJob, isJobOpen, showJob, toast } from "../../ui/feedback/toast-store.ts";

const POLL_MS = 800;
const text = (key: string, values: Record<string, unknown> = {}): string => translate(`logs:clear.${key}`, values);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** When the run began that this tab shows already. */
let followed = 0;

const titleOf = ({ started_by }: ClearProgress): string =>
  started_by === "" || started_by === viewer()?.username ? text("running") : text("runningBy", { name: started_by });

const jobOf = (progress: ClearProgress) => ({
  title: titleOf(progress),
  done: progress.done,
  total: progress.total,
  onStop: () => void call(stopClear, {}).catch((error: unknown) => toast.error(error)),
});

function tellEnd({ done, stopped, failed }: ClearProgress): void {
  const formatted = formatNumber(done);
  writeStored(STORAGE.clearRun, null);
  if (failed) toast.error(new Error(text("stopped", { formatted })), text("failed"));
  else toast.success(text(stopped ? "stopped" : "done", { formatted }));
}

/** Shows a run until it ends; failed polls are tried again. */
async function follow(begun: ClearProgress, onChange: () => void): Promise<void> {
  if (followed === begun.started_time) return;
  followed = begun.started_time;
  writeStored(STORAGE.clearRun, String(begun.started_time));
  const job = showJob(jobOf(begun));
  for (;;) {
    await pause(POLL_MS);
    const progress = await call(getClearProgress, {}).catch(() => undefined);
    if (progress !== undefined && !progress.running) {
      closeJob(job);
      tellEnd(progress);
      return onChange();
    }
    if (progress !== undefined && isJobOpen(job)) showJob(jobOf(progress), job);
  }
}

/** Begins the run and shows it. Throws ApiError where it is refused. */
export async function clearWithProgress(before: number, onChange: () => void): Promise<void> {
  void follow(await call(startClear, { body: { target_timestamp: before } }), onChange);
}

/** Shows a run that still goes, also one that another user began; and the end of one that this browser showed and did not see end. */
export async function resumeClear(onChange: () => void): Promise<void> {
  // Showing a run is a courtesy: a page that cannot ask says so by its own list.
  const progress = await call(getClearProgress, {}).catch(() => undefined);
  if (progress === undefined) return;
  if (progress.running) return follow(progress, onChange);
  const isUntold = followed !== progress.started_time && readStored(STORAGE.clearRun) === String(progress.started_time);
  if (isUntold && progress.finished_time > 0) tellEnd(progress);
}
