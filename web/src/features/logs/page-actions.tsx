/** Actions on the log as a whole: exporting what is shown; for administrators, deleting old entries. */
import { IconDownload, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { formatNumber } from "../../lib/format.ts";
import { translate, useTranslation } from "../../lib/i18n.ts";
import { useSearchState } from "../../lib/search.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { RowMenu } from "../../ui/data-table/row-actions.tsx";
import { closeJob, showJob, toast } from "../../ui/feedback/toast-store.ts";
import { exportView, type LogView, refetchLog } from "./queries.ts";
import { logSearch } from "./route.ts";

const exportText = (key: string, values: Record<string, unknown> = {}): string =>
  translate(`logs:export.${key}`, values);

/** Saves what the view shows as CSV. Shows the result; never throws. */
async function exportWithProgress(view: LogView): Promise<void> {
  const stop = new AbortController();
  let rows = 0;
  const shown = () => ({ title: exportText("running"), done: rows, total: 0, onStop: () => stop.abort() });
  const job = showJob(shown());
  try {
    await exportView(view, stop.signal, (count) => {
      rows = count;
      showJob(shown(), job);
    });
    toast.success(exportText("done", { formatted: formatNumber(rows) }));
  } catch (error) {
    if (stop.signal.aborted) toast.info(exportText("stopped"));
    else toast.error(error, exportText("failed"));
  } finally {
    closeJob(job);
  }
}

const ClearDialog = lazy(async () => ({ default: (await import("./clear-dialog.tsx")).ClearDialog }));

/** A clearing that still runs is shown again, also after the tab was closed. */
function useClearRun(isAdmin: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isAdmin) return;
    const onChange = () => void refetchLog(client);
    void import("./clear-run.ts").then(({ resumeClear }) => resumeClear(onChange));
  }, [isAdmin, client]);
}

/** Whether the dialog is open stands in the address (`open=clear`), where the command palette puts it too. */
function useClearing(isAdmin: boolean): [boolean, (isOpen: boolean) => void] {
  const [search, change] = useSearchState(logSearch);
  const set = (isOpen: boolean) => change({ open: isOpen ? "clear" : undefined }, "replace");
  return [isAdmin && search.open === "clear", set];
}

export function PageActions({ view }: { view: LogView }) {
  const { t } = useTranslation("logs");
  useClearRun(view.isAdmin);
  const [isClearing, setIsClearing] = useClearing(view.isAdmin);
  // Kept after its first opening: what is taken away cannot give the focus back.
  const [wasClearing, setWasClearing] = useState(isClearing);
  if (isClearing && !wasClearing) setWasClearing(true);
  const [isExporting, setIsExporting] = useState(false);
  const start = async () => {
    setIsExporting(true);
    await exportWithProgress(view);
    setIsExporting(false);
  };
  return (
    <>
      <BusyButton
        leftSection={<IconDownload size={15} stroke={1.5} />}
        isBusy={isExporting}
        onClick={() => void start()}
      >
        {t("export.action")}
      </BusyButton>
      {view.isAdmin && (
        <RowMenu
          about={t("title")}
          items={[
            {
              label: t("clear.action"),
              icon: <IconTrash size={15} stroke={1.5} />,
              tone: "danger",
              onPick: () => setIsClearing(true),
            },
          ]}
        />
      )}
      <Suspense>{wasClearing && <ClearDialog isOpen={isClearing} onClose={() => setIsClearing(false)} />}</Suspense>
    </>
  );
}
