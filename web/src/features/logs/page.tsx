/** The usage log: every call, what it cost and how it was routed; everything in the address, every row opens into its receipt.
 *
 * Links lead here with the search parameters that `FILTERS` names, as `/log?model_name=gpt-5&range=week`, and `/log?request_id=<id>` shows
 * the entry of one call with its receipt open, of whatever time and type it is.
 */
import { Button, Switch } from "@mantine/core";
import { IconArrowUp, IconDownload } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDateTime, formatNumber } from "../../lib/format.ts";
import { useMay } from "../../lib/viewer.ts";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { useListState } from "../../ui/data-table/list-state.ts";
import { queryRows } from "../../ui/data-table/table-props.ts";
import { Empty } from "../../ui/feedback/empty.tsx";
import { ConnectUpstream, useLacksChannel } from "../../ui/no-channel.tsx";
import { Page } from "../../ui/page.tsx";
import { logColumns, logSpans, rowNameOf } from "./columns.tsx";
import { DEFAULT_PRESET, FILTERS, LogFilters, type LogList } from "./filters.tsx";
import { isOneDay, parseRange, boundsOf } from "../../ui/time-range/range.ts";
import type { LogRow } from "./model/log-row.ts";
import { GroupFilter, useGroupField } from "./group-filter.tsx";
import { Histogram } from "./histogram.tsx";
import { LogCard } from "./log-card.tsx";
import styles from "./logs.module.css";
import type { ReceiptOf } from "./receipt.tsx";
import {
  anyLogsQuery,
  type LogPage,
  logsQuery,
  type LogView,
  statQuery,
  NEW_ROWS_MAX,
  newRowsQuery,
  exportView,
} from "./queries.ts";
import { Stats } from "./stats.tsx";
import { ViewsMenu } from "./views-menu.tsx";
import { PlainButton } from "../../ui/plain.tsx";
import { useSearchState } from "../../lib/search.ts";
import { i18n } from "../../lib/i18n.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { RowMenu } from "../../ui/data-table/row-actions.tsx";
import { closeJob, showJob, toast } from "../../ui/feedback/toast-store.ts";
import { logSearch } from "./route.ts";

const exportText = (key: string, values: Record<string, unknown> = {}): string => i18n.t(`logs:export.${key}`, values);

/** Saves what the view shows as CSV. Tells how it ended; never throws. */
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

/** A run of clearing that goes on is shown again, also after the tab was closed. */
function useClearRun(isAdmin: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isAdmin) return;
    const onChange = () => void client.invalidateQueries({ queryKey: ["logs"] });
    void import("./clear-run.ts").then(({ resumeClear }) => resumeClear(onChange));
  }, [isAdmin, client]);
}

/** Whether the dialog is open stands in the address (`open=clear`), where the command palette puts it too. */
function useClearing(isAdmin: boolean): [boolean, (isOpen: boolean) => void] {
  const [search, change] = useSearchState(logSearch);
  const set = (isOpen: boolean) => change({ open: isOpen ? "clear" : undefined }, "replace");
  return [isAdmin && search.open === "clear", set];
}

/** What can be done with the log as a whole: export what is shown; for administrators, clear what is old. */
function PageActions({ view }: { view: LogView }) {
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
          items={[{ label: t("clear.action"), tone: "danger", onPick: () => setIsClearing(true) }]}
        />
      )}
      <Suspense>{wasClearing && <ClearDialog isOpen={isClearing} onClose={() => setIsClearing(false)} />}</Suspense>
    </>
  );
}

/** Whether entries that come now belong to the view. */
const reachesNow = (view: LogView): boolean =>
  view.filters.request_id === undefined && (boundsOf(view.range, Date.now()).end ?? Infinity) >= Date.now() / 1000;

interface LiveState {
  isLive: boolean;
  /** It was ended by a failure. */
  isStopped: boolean;
  setIsLive: (isLive: boolean) => void;
}

/** Whether the list polls; a failed query ends it, and it pauses where the newest page is not shown. */
function useLive(isPossible: boolean): LiveState & { onFailure: (failedAtMs: number) => void } {
  const [state, setState] = useState<{ now: "off" | "on" | "stopped"; sinceMs: number }>({ now: "off", sinceMs: 0 });
  return {
    isLive: state.now === "on" && isPossible,
    isStopped: state.now === "stopped",
    setIsLive: (isLive) => setState({ now: isLive ? "on" : "off", sinceMs: Date.now() }),
    onFailure: (failedAtMs) => {
      if (state.now === "on" && failedAtMs > state.sinceMs) setState({ ...state, now: "stopped" });
    },
  };
}

/** Whether the view's first page shows what is newest. */
const canFollow = (view: LogView, page: number): boolean => page === 1 && reachesNow(view);

interface LiveToolsProps {
  view: LogView;
  page: number;
  live: LiveState;
  onLoad: () => void;
}

interface NewRowsProps extends LiveToolsProps {
  /** The rows shown; undefined until they were loaded. */
  rows: readonly LogRow[] | undefined;
}

const newestOf = (rows: readonly LogRow[]): { id: number; atS: number } | undefined =>
  rows.length === 0
    ? undefined
    : { id: Math.max(...rows.map(({ id }) => id)), atS: Math.max(...rows.map(({ created_at }) => created_at)) };

/** Stands behind the last words of a line, which keeps its height. */
function NewRows({ view, page, rows, live, onLoad }: NewRowsProps) {
  const { t } = useTranslation("logs");
  const isOn = rows !== undefined && !live.isLive && reachesNow(view) && page === 1;
  const { data: count = 0 } = useQuery(newRowsQuery(view, newestOf(rows ?? []), isOn));
  if (!isOn || count === 0) return null;
  return (
    <span className={styles.newPlace}>
      <PlainButton className={styles.newRows} onClick={onLoad}>
        <IconArrowUp size={14} stroke={1.5} aria-hidden />
        {count >= NEW_ROWS_MAX ? t("live.newMany", { count: NEW_ROWS_MAX }) : t("live.new", { count })}
      </PlainButton>
    </span>
  );
}

/** New entries: a button that counts and loads them, and a switch that has them come by themselves. */
function LiveTools({ live, view, page, onLoad }: LiveToolsProps) {
  const { t } = useTranslation("logs");
  return (
    <>
      <span role="status" className={styles.liveNote}>
        {live.isStopped && t("live.stopped")}
      </span>
      {canFollow(view, page) && (
        <Switch
          size="xs"
          className={styles.live ?? ""}
          label={t("live.switch")}
          checked={live.isLive}
          onChange={(event) => {
            live.setIsLive(event.currentTarget.checked);
            onLoad();
          }}
        />
      )}
    </>
  );
}

const Groups = lazy(async () => ({ default: (await import("./groups.tsx")).Groups }));

const PersonDialog = lazy(async () => ({ default: (await import("./person-dialog.tsx")).PersonDialog }));
const LateReceipt = lazy(async () => ({ default: (await import("./receipt.tsx")).ReceiptOf }));

const ROW_HEIGHT = 38;

/** What rows open into, fetched ahead once there are rows: then a row opens at once. */
function useReceipt(hasRows: boolean): typeof ReceiptOf | undefined {
  const [loaded, setLoaded] = useState<{ part: typeof ReceiptOf }>();
  useEffect(() => {
    if (!hasRows) return;
    // What cannot be fetched now is asked for again, and says so, when a row is opened.
    import("./receipt.tsx").then(
      ({ ReceiptOf: part }) => setLoaded({ part }),
      () => undefined,
    );
  }, [hasRows]);
  return loaded?.part;
}

/** What the address asks for: the range apart, since presets move with the clock. */
function useView(list: LogList): LogView {
  const isAdmin = useMay("logs");
  return useMemo(() => {
    const { range, start_timestamp, end_timestamp, ...filters } = list.filters;
    const time = {
      ...(range === undefined ? {} : { range }),
      ...(start_timestamp === undefined ? {} : { start_timestamp }),
      ...(end_timestamp === undefined ? {} : { end_timestamp }),
    };
    return { filters, range: parseRange(time, DEFAULT_PRESET), isAdmin };
  }, [list.filters, isAdmin]);
}

function Nothing({ list, isAdmin }: { list: LogList; isAdmin: boolean }) {
  const { t } = useTranslation("logs");
  const any = useQuery(anyLogsQuery(isAdmin));
  const { isKnown, lacksChannel } = useLacksChannel();
  if (any.data === undefined || !isKnown) return null;
  if (!any.data) {
    return (
      <Empty
        title={t(lacksChannel ? "channel-impact:noChannel.title" : "empty.title")}
        sentence={t(lacksChannel ? "channel-impact:noChannel.text" : "empty.text")}
        actions={
          lacksChannel ? (
            <ConnectUpstream />
          ) : (
            <Link to="/token" search={{ open: "create" }}>
              <Button component="span" variant="filled">
                {t("empty.create")}
              </Button>
            </Link>
          )
        }
      />
    );
  }
  return (
    <Empty
      title={t("empty.today")}
      sentence={t("empty.todayText")}
      actions={
        <>
          <Button variant="filled" onClick={() => list.setFilters({ range: "week" })}>
            {t("empty.week")}
          </Button>
          <Button variant="subtle" onClick={() => list.setFilters({ range: "month" })}>
            {t("empty.month")}
          </Button>
        </>
      }
    />
  );
}

/** How many entries there are; where not all of the range was looked at, since when. */
function useCount({ range, filters }: LogView, total: number, page: LogPage | undefined): string {
  const { t } = useTranslation("logs");
  const formatted = formatNumber(total);
  const isToday = range.kind === "preset" && range.preset === "today" && filters.request_id === undefined;
  const count =
    page?.total_is_capped === true
      ? t("count.capped", { formatted })
      : t(isToday ? "count.today" : "count.any", { count: total, formatted });
  const since = page?.searched_since ?? 0;
  return since === 0 ? count : t("count.searched", { count, time: formatDateTime(since) });
}

/** Asks once more for these, and for the parts that ask for themselves. */
function useRefetch(queries: readonly { refetch: () => Promise<unknown> }[]): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      ...queries.map((query) => query.refetch()),
      ...["histogram", "groups"].map((part) => client.invalidateQueries({ queryKey: ["logs", part] })),
    ]);
}

export function LogsPage() {
  const { t } = useTranslation("logs");
  const list = useListState(FILTERS, ROW_HEIGHT);
  // Undefined until the dialog was opened once; null while it is closed.
  const [person, setPerson] = useState<LogRow | null>();
  const view = useView(list);
  const live = useLive(canFollow(view, list.page));
  const [field] = useGroupField(view);
  const query = useQuery(logsQuery(view, list.page, list.size, live.isLive, field === undefined));
  live.onFailure(query.errorUpdatedAt);
  const stat = useQuery(statQuery(view));
  const [openedAtMs] = useState(() => Date.now());
  const askedAtMs = query.dataUpdatedAt || openedAtMs;
  const isDay = isOneDay(view.range, askedAtMs);
  const columns = logColumns(t, { isAdmin: view.isAdmin, isOneDay: isDay, onUser: setPerson });
  const total = query.data?.total ?? 0;
  const Receipt = useReceipt(total > 0) ?? LateReceipt;
  const refetch = useRefetch([...(field === undefined ? [query] : []), stat]);
  const following = { view, page: list.page, live, onLoad: () => void refetch() };
  return (
    <Page
      title={t("title")}
      purpose={
        <>
          {t(view.isAdmin ? "purpose" : "ownPurpose")} <NewRows {...following} rows={query.data?.items} />
        </>
      }
      info={<Stats stat={stat.data} />}
      actions={<PageActions view={view} />}
    >
      <Histogram list={list} view={view} isHidden={query.data?.total === 0 && !list.isFiltered} />
      <DataTable
        name="logs"
        instead={
          field !== undefined && (
            <Suspense fallback={<div className={styles.receiptPlace} aria-busy />}>
              <Groups list={list} view={view} field={field} />
            </Suspense>
          )
        }
        label={t("title")}
        columns={columns}
        list={list}
        rowKey={(row) => String(row.id)}
        rowName={(row) => rowNameOf(t, row)}
        rowHeight={ROW_HEIGHT}
        data={{ ...queryRows(query, query.data?.items, total), refetch }}
        filters={<LogFilters list={list} view={view} askedAtMs={askedAtMs} />}
        tools={
          <>
            <GroupFilter view={view} />
            {field === undefined && <LiveTools {...following} />}
            <ViewsMenu list={list} />
          </>
        }
        hasManyFilters
        opensRows={view.filters.request_id !== undefined}
        spans={(row) => logSpans(t, row)}
        openedRow={(row) => (
          <Suspense fallback={<div className={styles.receiptPlace} aria-busy />}>
            <Receipt row={row} isAdmin={view.isAdmin} />
          </Suspense>
        )}
        card={(row) => <LogCard row={row} isAdmin={view.isAdmin} isOneDay={isDay} onUser={setPerson} />}
        empty={<Nothing list={list} isAdmin={view.isAdmin} />}
        count={useCount(view, total, query.data)}
        errorTitle={t("notLoaded")}
      />
      <Suspense fallback={null}>
        {person !== undefined && (
          <PersonDialog
            row={person ?? undefined}
            onClose={() => setPerson(null)}
            onFilter={(username) => list.setFilters({ username })}
          />
        )}
      </Suspense>
    </Page>
  );
}
