/** The export of the view as a toast that counts the rows and can be stopped. */
import { formatNumber } from "../../lib/format.ts";
import { i18n } from "../../lib/i18n.ts";
import { closeJob, showJob, toast } from "../../ui/feedback/toast-store.ts";
import { exportView, type LogView } from "./queries.ts";

const text = (key: string, values: Record<string, unknown> = {}): string => i18n.t(`logs:export.${key}`, values);

/** Saves what the view shows as CSV. Tells how it ended; never throws. */
export async function exportWithProgress(view: LogView): Promise<void> {
  const stop = new AbortController();
  let rows = 0;
  const shown = () => ({ title: text("running"), done: rows, total: 0, onStop: () => stop.abort() });
  const job = showJob(shown());
  try {
    await exportView(view, stop.signal, (count) => {
      rows = count;
      showJob(shown(), job);
    });
    toast.success(text("done", { formatted: formatNumber(rows) }));
  } catch (error) {
    if (stop.signal.aborted) toast.info(text("stopped"));
    else toast.error(error, text("failed"));
  } finally {
    closeJob(job);
  }
}
