/** The usage log: every call, what it cost and how it was routed; everything in the address, every row opens into its receipt.
 *
 * Links lead here with the search parameters that `FILTERS` names, as `/log?model_name=gpt-5&range=week`, and `/log?request_id=<id>` shows
 * the entry of one call with its receipt open, of whatever time and type it is.
 */
import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { formatDateTime, formatNumber } from "../../lib/format.ts";
import { useMay } from "../../lib/viewer.ts";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { EndlessRows } from "../../ui/data-table/endless-rows.tsx";
import { useListState } from "../../ui/data-table/list-state.ts";
import { queryRows } from "../../ui/data-table/table-props.ts";
import { Empty } from "../../ui/feedback/empty.tsx";
import { ConnectUpstream, useLacksChannel } from "../../ui/no-channel.tsx";
import { Page } from "../../ui/page.tsx";
import { logColumns, logSpans, rowNameOf } from "./columns.tsx";
import { DEFAULT_PRESET, FILTERS, LogFilters, type LogList } from "./filters.tsx";
import { isOneDay, parseRange } from "../../ui/time-range/range.ts";
import type { LogRow } from "./model/log-row.ts";
import { GroupFilter, useGroupField } from "./group-filter.tsx";
import { Histogram } from "./histogram.tsx";
import { LogCard } from "./log-card.tsx";
import styles from "./logs.module.css";
import type { ReceiptOf } from "./receipt.tsx";
import { LiveTools, NewRows, useLive } from "./live.tsx";
import { anyLogsQuery, LISTED_MAX, type LogPage, logsQuery, type LogView, statQuery, toFirstBlock } from "./queries.ts";
import { PageActions } from "./page-actions.tsx";
import { Stats } from "./stats.tsx";
import { ViewsTabs } from "./views-tabs.tsx";

const Groups = lazy(async () => ({ default: (await import("./groups.tsx")).Groups }));

const PersonDialog = lazy(async () => ({ default: (await import("./person-dialog.tsx")).PersonDialog }));
const LateReceipt = lazy(async () => ({ default: (await import("./receipt.tsx")).ReceiptOf }));

const ROW_HEIGHT = 38;

/** The details of rows, loaded ahead once there are rows: then a row opens at once. */
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

/** The view of the address: the range apart, since presets move with the clock. */
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
          {(["yesterday", "month"] as const).map((range) => (
            <Button key={range} variant="subtle" onClick={() => list.setFilters({ range })}>
              {t(`empty.${range}`)}
            </Button>
          ))}
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

/** The entry of the browser's history that shows this view. */
function useEntry(view: LogView): string {
  const { history } = useRouter();
  // With another view this is another entry, also where the address was replaced.
  return useMemo(() => (view === undefined ? "" : (history.location.state.__TSR_key ?? "")), [view, history]);
}

const NO_BLOCKS: readonly (readonly LogRow[])[] = [];

/** The list of a view in blocks, and how it continues; `refetch` begins again with what is newest, and asks for the figures above too. */
function useLogList(view: LogView, isOn: boolean) {
  const { t } = useTranslation("logs");
  const client = useQueryClient();
  const entry = useEntry(view);
  const query = useInfiniteQuery(logsQuery(view, entry, isOn));
  const stat = useQuery(statQuery(view));
  const pages = query.data?.pages;
  const refetch = () => {
    toFirstBlock(client);
    return Promise.all([
      ...(isOn ? [query.refetch()] : []),
      stat.refetch(),
      ...["histogram", "groups"].map((part) => client.invalidateQueries({ queryKey: ["logs", part] })),
    ]);
  };
  const rows = useMemo(() => pages?.flatMap(({ items }) => items), [pages]);
  const more = {
    hasMore: query.hasNextPage,
    isLoading: query.isFetchingNextPage,
    isFailed: query.isFetchNextPageError,
    onMore: () => void query.fetchNextPage(),
    endNote: pages?.at(-1)?.next === "" ? undefined : t("listEnd", { formatted: formatNumber(LISTED_MAX) }),
  };
  return {
    entry,
    first: pages?.[0],
    rows,
    blocks: useMemo(() => pages?.map(({ items }) => items) ?? NO_BLOCKS, [pages]),
    more,
    stat: stat.data,
    updatedAtMs: query.dataUpdatedAt,
    failedAtMs: query.errorUpdatedAt,
    state: {
      // A block that is missing is said at its place.
      error: query.isFetchNextPageError ? null : query.error,
      isFetching: query.isFetching && !query.isFetchingNextPage,
      isPlaceholderData: query.isPlaceholderData,
      refetch,
    },
  };
}

/** Keeps the room of a part that is still on its way. */
const Late = ({ children }: { children: ReactNode }) => (
  <Suspense fallback={<div className={styles.receiptPlace} aria-busy />}>{children}</Suspense>
);

export function LogsPage() {
  const { t } = useTranslation("logs");
  const list = useListState(FILTERS, ROW_HEIGHT);
  // Undefined until the dialog was opened once; null while it is closed.
  const [person, setPerson] = useState<LogRow | null>();
  const view = useView(list);
  const [field] = useGroupField(view);
  const { entry, first, rows, blocks, more, stat, updatedAtMs, failedAtMs, state } = useLogList(
    view,
    field === undefined,
  );
  const live = useLive(view, entry, () => void state.refetch());
  live.onFailure(failedAtMs);
  const [openedAtMs] = useState(() => Date.now());
  const askedAtMs = updatedAtMs || openedAtMs;
  const isDay = isOneDay(view.range, askedAtMs);
  const columns = logColumns(t, { isAdmin: view.isAdmin, isOneDay: isDay, onUser: setPerson });
  const total = first?.total ?? 0;
  const Receipt = useReceipt(total > 0) ?? LateReceipt;
  const following = { view, live, onLoad: () => void state.refetch() };
  const onFilter = (username: string) => list.setFilters({ username });
  const isEmpty = first?.total === 0 && !list.isFiltered;
  return (
    <Page
      title={t("title")}
      purpose={
        <>
          {t(view.isAdmin ? "purpose" : "ownPurpose")} <NewRows {...following} rows={rows} />
        </>
      }
      info={<Stats stat={stat} />}
      actions={<PageActions view={view} />}
    >
      <Histogram list={list} view={view} isHidden={isEmpty} />
      {!isEmpty && <ViewsTabs list={list} />}
      <DataTable
        name="logs"
        instead={
          field !== undefined && (
            <Late>
              <Groups list={list} view={view} field={field} />
            </Late>
          )
        }
        label={t("title")}
        columns={columns}
        list={list}
        rowKey={(row) => String(row.id)}
        rowName={(row) => rowNameOf(t, row)}
        rowHeight={ROW_HEIGHT}
        data={queryRows(state, rows, total)}
        layOut={(parts) => <EndlessRows {...parts} blocks={blocks} more={more} entry={entry} />}
        filters={<LogFilters list={list} view={view} askedAtMs={askedAtMs} />}
        tools={
          <>
            <GroupFilter view={view} />
            {field === undefined && <LiveTools {...following} />}
          </>
        }
        hasManyFilters
        opensRows={view.filters.request_id !== undefined}
        spans={(row) => logSpans(t, row)}
        openedRow={(row) => (
          <Late>
            <Receipt row={row} isAdmin={view.isAdmin} />
          </Late>
        )}
        card={(row) => <LogCard row={row} isAdmin={view.isAdmin} isOneDay={isDay} onUser={setPerson} />}
        empty={<Nothing list={list} isAdmin={view.isAdmin} />}
        count={useCount(view, total, first)}
        errorTitle={t("notLoaded")}
      />
      <Suspense fallback={null}>
        {person !== undefined && (
          <PersonDialog {...{ row: person ?? undefined, onClose: () => setPerson(null), onFilter }} />
        )}
      </Suspense>
    </Page>
  );
}
