/** The health page of administrators: how well each channel serves each model, and which are in cooldown now in any process. */
import { useQuery, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { HEALTH_HOURS, type HealthPage as Health, getChannelHealth } from "../../../../contract/src/features/health.ts";
import { SearchFilter } from "../../ui/data-table/filters.tsx";
import { useListState, type ListState } from "../../ui/data-table/list-state.ts";
import { TableFooter } from "../../ui/data-table/pager.tsx";
import { Empty, ErrorState, NotRefreshed, NothingFound } from "../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../ui/feedback/loading-bars.tsx";
import { Segmented } from "../../ui/form/fields.tsx";
import { LostModelsLine } from "../../ui/lost-models.tsx";
import { Page } from "../../ui/page.tsx";
import styles from "./health.module.css";
import { HealthMatrix } from "./matrix.tsx";
import { call } from "../../lib/api.ts";

const HEALTH_FILTERS = ["hours", "keyword"] as const;
type HealthList = ListState<(typeof HEALTH_FILTERS)[number]>;

/** Breakers open for seconds to minutes, and counts are stored every few seconds. */
const AGAIN_EVERY_MS = 10_000;

/** What the health page asks the server. */
function healthQuery({ page, size, filters }: HealthList) {
  const query = { p: page, page_size: size, hours: filters.hours, keyword: filters.keyword };
  return queryOptions({
    queryKey: ["health", query],
    queryFn: ({ signal }) => call(getChannelHealth, { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_EVERY_MS,
  });
}

function Filters({ list }: { list: HealthList }) {
  const { t } = useTranslation("health");
  return (
    <div className={styles.filters}>
      <SearchFilter
        label={t("search")}
        value={list.filters.keyword ?? ""}
        onChange={(keyword, step) => list.setFilters({ keyword }, step)}
      />
      <Segmented
        label={t("range")}
        options={HEALTH_HOURS.map((hours) => ({ value: String(hours), text: t(`hours.${hours}`) }))}
        value={list.filters.hours ?? "24"}
        onChange={(hours) => list.setFilters({ hours: hours === "24" ? undefined : hours })}
      />
    </div>
  );
}

function Content({ list, health }: { list: HealthList; health: Health }) {
  const { t } = useTranslation("health");
  if (health.total === 0)
    return list.filters.keyword === undefined ? (
      <Empty title={t("empty.title")} sentence={t("empty.sentence")} />
    ) : (
      <NothingFound onClear={list.clearFilters} />
    );
  const paging = {
    page: list.page,
    size: list.size,
    total: health.total,
    onPage: list.setPage,
    onSize: list.setSize,
  };
  return (
    <>
      <HealthMatrix channels={health.items} />
      <TableFooter count={t("count", { count: health.total })} paging={paging} />
    </>
  );
}

export function HealthPage() {
  const { t } = useTranslation("health");
  const list = useListState(HEALTH_FILTERS);
  const query = useQuery(healthQuery(list));
  const { data, error, isPending } = query;
  const again = (): void => void query.refetch();
  const open = data?.open ?? 0;
  return (
    <Page
      title={t("title")}
      purpose={t("purpose")}
      {...(open > 0 ? { notice: t("open", { count: open }) } : {})}
      info={error !== null && data !== undefined ? <NotRefreshed onRetry={again} /> : undefined}
    >
      <LostModelsLine hasLink />
      <Filters list={list} />
      {isPending && (
        <div className={styles.waiting}>
          <LoadingBars height={44} label={t("loading")} />
        </div>
      )}
      {data === undefined && error !== null && <ErrorState title={t("notLoaded")} error={error} onRetry={again} />}
      {data !== undefined && <Content list={list} health={data} />}
    </Page>
  );
}
