/** The deletion of old entries as a toast with its progress; closing the toast leaves the run alone, and its end is told all the same. */
import { type ClearProgress, getClearProgress, startClear, stopClear } from "../../../../contract/src/features/logs.ts";
import { call } from "../../lib/api.ts";
import { formatNumber } from "../../lib/format.ts";
import { i18n } from "../../lib/i18n.ts";
import { closeJob, isJobOpen, showJob, toast } from "../../ui/toast-store.ts";

const POLL_MS = 800;
const text = (key: string, values: Record<string, unknown> = {}): string => i18n.t(`logs:clear.${key}`, values);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const jobOf = ({ done, total }: ClearProgress) => ({
  title: text("running"),
  done,
  total,
  onStop: () => void call(stopClear, {}).catch((error: unknown) => toast.error(error)),
});

function tellEnd({ done, stopped, failed }: ClearProgress): void {
  const formatted = formatNumber(done);
  if (failed) toast.error(new Error(text("stopped", { formatted })), text("failed"));
  else toast.success(text(stopped ? "stopped" : "done", { formatted }));
}

/** Begins the run and shows it until it ends. Throws ApiError where it is refused; failed polls are tried again. */
export async function clearWithProgress(before: number, onChange: () => void): Promise<void> {
  const begun = await call(startClear, { body: { target_timestamp: before } });
  const job = showJob(jobOf(begun));
  void (async () => {
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
  })();
}
