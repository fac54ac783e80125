/** The usage log: every call, what it cost and how it was routed; everything in the address, every row opens into its receipt.
 *
 * Links lead here with the search parameters that `FILTERS` names, as `/log?model_name=gpt-5&range=week`, and `/log?request_id=<id>` shows
 * the entry of one call with its receipt open, of whatever time and type it is.
 */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDateTime, formatNumber } from "../../lib/format.ts";
import { useIsAdmin } from "../../lib/viewer.ts";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { useListState } from "../../ui/data-table/list-state.ts";
import { queryRows } from "../../ui/data-table/query-rows.ts";
import { Empty } from "../../ui/feedback/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { logColumns, logSpans, rowNameOf } from "./columns.tsx";
import { DEFAULT_PRESET, FILTERS, LogFilters, type LogList } from "./filters.tsx";
import { isOneDay, parseRange } from "../../ui/time-range/range.ts";
import type { LogRow } from "./model/log-row.ts";
import { canFollow, LiveTools, NewRows, useLive } from "./live.tsx";
import { LogCard } from "./log-card.tsx";
import { PageActions } from "./page-actions.tsx";
import styles from "./logs.module.css";
import type { ReceiptOf } from "./receipt.tsx";
import { anyLogsQuery, type LogPage, logsQuery, type LogView, statQuery } from "./queries.ts";
import { Stats } from "./stats.tsx";
import { ViewsMenu } from "./views-menu.tsx";

const PersonDialog = lazy(async () => ({ default: (await import("./person-dialog.tsx")).PersonDialog }));
const LateReceipt = lazy(async () => ({ default: (await import("./receipt.tsx")).ReceiptOf }));

const ROW_HEIGHT = 38;

/** What rows open into, fetched once there are rows and nobody waits for it yet: then a row opens at once. */
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
  const isAdmin = useIsAdmin();
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
  if (any.data === undefined) return null;
  if (!any.data) {
    return (
      <Empty
        title={t("empty.title")}
        sentence={t("empty.text")}
        actions={
          <Link to="/token" search={{ open: "create" }}>
            <Button component="span" variant="filled">
              {t("empty.create")}
            </Button>
          </Link>
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

export function LogsPage() {
  const { t } = useTranslation("logs");
  const list = useListState(FILTERS, ROW_HEIGHT);
  // Undefined until somebody was asked for; null while the dialog is closed.
  const [person, setPerson] = useState<LogRow | null>();
  const view = useView(list);
  const live = useLive(canFollow(view, list.page));
  const query = useQuery(logsQuery(view, list.page, list.size, live.isLive));
  live.onFailure(query.errorUpdatedAt);
  const stat = useQuery(statQuery(view));
  const [openedAtMs] = useState(() => Date.now());
  const askedAtMs = query.dataUpdatedAt || openedAtMs;
  const isDay = isOneDay(view.range, askedAtMs);
  const columns = logColumns(t, { isAdmin: view.isAdmin, isOneDay: isDay, onUser: setPerson });
  const total = query.data?.total ?? 0;
  const Receipt = useReceipt(total > 0) ?? LateReceipt;
  const refetch = () => Promise.all([query.refetch(), stat.refetch()]);
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
      <DataTable
        name="logs"
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
            <LiveTools {...following} />
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
