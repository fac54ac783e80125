/** The health page of administrators: success and latency of each channel and model over time, and which cool down now in any process. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "../../lib/i18n.ts";
import { SMALL_SAMPLE } from "../../../../contract/src/call-figures.ts";
import { HEALTH_HOURS, type HealthPage as Health } from "../../../../contract/src/features/health.ts";
import { type ChangeSearch, useSearchState } from "../../lib/search.ts";
import { SearchFilter } from "../../ui/data-table/filters.tsx";
import { Empty, ErrorState, NotRefreshed, NothingFound } from "../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../ui/feedback/loading-bars.tsx";
import { Segmented } from "../../ui/form/fields.tsx";
import { LostModelsLine } from "../../ui/lost-models.tsx";
import { ConnectUpstream, useLacksChannel } from "../../ui/no-channel.tsx";
import { Page } from "../../ui/page.tsx";
import styles from "./health.module.css";
import { healthQuery } from "./queries.ts";
import { healthSearch } from "./route.ts";
import { HealthRows } from "./rows.tsx";

type Search = ReturnType<typeof healthSearch>;

const USUAL_HOURS = "24";

function Filters({ search, change }: { search: Search; change: ChangeSearch<Search> }) {
  const { t } = useTranslation("health");
  return (
    <div className={styles.filters}>
      <SearchFilter
        label={t("search")}
        value={search.keyword ?? ""}
        onChange={(keyword, step) => change({ keyword: keyword === "" ? undefined : keyword }, step)}
      />
      <Segmented
        label={t("range")}
        options={HEALTH_HOURS.map((hours) => ({ value: String(hours), text: t(`hours.${hours}`) }))}
        value={search.hours ?? USUAL_HOURS}
        onChange={(hours) => change({ hours: healthSearch({ hours }).hours })}
      />
      <span className={styles.hint}>{t("greyHint", { count: SMALL_SAMPLE })}</span>
    </div>
  );
}

/** While there is no channel, the page leads to the first one. */
function NoChannels() {
  const { t } = useTranslation("health");
  const { lacksChannel } = useLacksChannel();
  return (
    <Empty title={t("empty.title")} sentence={t("empty.sentence")} actions={lacksChannel && <ConnectUpstream />} />
  );
}

function Content({ search, health, onClear }: { search: Search; health: Health; onClear: () => void }) {
  const { t } = useTranslation("health");
  if (health.total === 0) return search.keyword === undefined ? <NoChannels /> : <NothingFound onClear={onClear} />;
  const left = health.total - health.items.length;
  return (
    <>
      <HealthRows health={health} hours={search.hours} />
      <p className={styles.count}>
        {t("count", { count: health.total })}
        {left > 0 && ` ${t("cut", { count: health.items.length })}`}
      </p>
    </>
  );
}

export function HealthPage() {
  const { t } = useTranslation("health");
  const [search, change] = useSearchState(healthSearch);
  const query = useQuery(healthQuery(search.hours, search.keyword));
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
      <Filters search={search} change={change} />
      {isPending && (
        <div className={styles.waiting}>
          <LoadingBars height={56} label={t("loading")} />
        </div>
      )}
      {data === undefined && error !== null && <ErrorState title={t("notLoaded")} error={error} onRetry={again} />}
      {data !== undefined && <Content search={search} health={data} onClear={() => change({ keyword: undefined })} />}
    </Page>
  );
}
