/** The dashboard (/detail): tiles, usage by model over time, shares, calls, and for administrators users and channels. */
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconRefresh, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { formatDate } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useSearchState } from "../../lib/search.ts";
import { useStatus } from "../../lib/status.ts";
import { useMay } from "../../lib/viewer.ts";
import { PHONE_QUERY } from "../../lib/widths.ts";
import { Empty, ErrorState, NotRefreshed } from "../../ui/feedback/empty.tsx";
import { Segmented } from "../../ui/form/fields.tsx";
import { importPart } from "../../ui/feedback/missing-part.ts";
import { LostModelsLine } from "../../ui/lost-models.tsx";
import { Page } from "../../ui/page.tsx";
import styles from "./dashboard.module.css";
import { CallCard, CallTiles } from "./call-card.tsx";
import { ChartCard } from "./chart-card.tsx";
import { callFace, usageFace } from "./chart-face.ts";
import { MemberSteps } from "../../ui/member-steps.tsx";
import { FirstStepsCard, useFirstSteps } from "./first-steps.tsx";
import { useLogUser } from "./log-link.tsx";
import { type ModelSeries, seriesOf } from "./model/chart-data.ts";
import { logHref } from "./model/log-link.ts";
import {
  boundsOf,
  daysOf,
  parseView,
  type View,
  type ViewSearch,
  dateOf,
  datesFault,
  DEFAULT_PRESET,
  PRESETS,
  type Range,
} from "./model/view.ts";
import { MarginCard } from "./margin-card.tsx";
import { CallsCard, ShareCard } from "./model-cards.tsx";
import { PayersCard } from "./payers-card.tsx";
import { callsQuery, type Overview, overviewQuery } from "./queries.ts";
import { dashboardSearch } from "./route.ts";
import { Tiles, TilesPlaceholder } from "./tiles.tsx";
import { RangePicker } from "../../ui/time-range/range-picker.tsx";

const SiteCards = lazy(importPart(async () => ({ default: (await import("./site-cards.tsx")).SiteCards })));

/** What the operator publishes, below the figures; its code loads where there is something. */
function SitePart() {
  const site = useStatus();
  if (site.announcements.length + site.faq.length + site.api_info.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <SiteCards />
    </Suspense>
  );
}

/** @param nowMs when what is shown was asked for */
function useRangeText(range: Range, nowMs: number): string {
  const { t } = useTranslation("dashboard");
  if (range.kind === "preset") return t(`range.${range.preset}`);
  const { start, end } = boundsOf(range, nowMs);
  return range.from === range.to
    ? formatDate(start)
    : t("range.between", { from: formatDate(start), to: formatDate(end) });
}

interface RangeFilterProps {
  range: Range;
  nowMs: number;
  onChange: (search: ViewSearch) => void;
}

/** The dashboard's range: stretches of days up to now, or two days. */
function RangeFilter({ range, nowMs, onChange }: RangeFilterProps) {
  const { t } = useTranslation("dashboard");
  const text = useRangeText(range, nowMs);
  const now = boundsOf(range, nowMs);
  return (
    <RangePicker
      text={text}
      words={{
        button: t("range.chosen", { text }),
        presets: t("range.label"),
        from: t("range.from"),
        to: t("range.to"),
        apply: t("range.apply"),
      }}
      presets={PRESETS.map((id) => ({ id, text: t(`range.${id}`) }))}
      chosen={range.kind === "preset" ? range.preset : undefined}
      onPreset={(preset) =>
        onChange({
          range: preset === DEFAULT_PRESET ? undefined : preset,
          from: undefined,
          to: undefined,
          by: undefined,
        })
      }
      precision="day"
      bounds={{ from: dateOf(now.start), to: dateOf(now.end) }}
      onBounds={(from, to) => {
        const fault = datesFault(from, to);
        if (fault !== undefined) return t(`range.fault.${fault}`);
        onChange({ range: undefined, from, to, by: undefined });
        return undefined;
      }}
      align="end"
    />
  );
}

/** Percent of the room there is: bars and lines as uneven as those to come. */
const BONE_HEIGHTS = [34, 52, 28, 46, 70, 62, 40, 24, 58, 66, 48, 36, 74, 54];
const BONE_WIDTHS = [88, 72, 80, 56, 64, 40];

/** The chart's card, also while only its own numbers are waited for. */
function ChartPlaceholder() {
  return (
    <div className={`${styles.card} ${styles.chartCard}`} aria-hidden>
      <div className={styles.cardHead}>
        <span className={styles.bone} style={{ width: 96 }} />
      </div>
      <div className={styles.boneBars}>
        {BONE_HEIGHTS.map((height, index) => (
          <span key={index} className={styles.boneBar} style={{ height: `${height}%` }} />
        ))}
      </div>
    </div>
  );
}

function Lines() {
  return (
    <div className={styles.card} aria-hidden>
      <div className={styles.cardHead}>
        <span className={styles.bone} style={{ width: 96 }} />
      </div>
      {BONE_WIDTHS.map((width) => (
        <span key={width} className={styles.bone} style={{ width: `${width}%`, marginBlock: 8 }} />
      ))}
    </div>
  );
}

/** The dashboard before its first answer, at the heights it will have. */
function Placeholder({ cards }: { cards: 2 | 3 }) {
  return (
    <>
      <TilesPlaceholder count={cards === 3 ? 5 : 4} />
      <CallTiles report={undefined} callMeasure={undefined} onChange={() => undefined} />
      <ChartPlaceholder />
      <div className={styles.cards} data-count={cards}>
        {Array.from({ length: cards }, (_, index) => (
          <Lines key={index} />
        ))}
      </div>
    </>
  );
}

type Change = (change: ViewSearch) => void;

function useView(): [View, Change] {
  const [search, change] = useSearchState(dashboardSearch);
  const isAdmin = useMay("logs");
  const { data_export_default_time } = useStatus();
  const view = useMemo(
    () => parseView(search, data_export_default_time, isAdmin),
    [search, data_export_default_time, isAdmin],
  );
  return [view, change];
}

function usePurpose(view: View, nowMs: number): string {
  const { t } = useTranslation("dashboard");
  const { start, end } = boundsOf(view.range, nowMs);
  const from = formatDate(start);
  const to = formatDate(Math.min(end, nowMs / 1000));
  const dates = from === to ? from : t("range.between", { from, to });
  if (view.username !== undefined) return t("purpose.user", { name: view.username, dates });
  return t(view.isOwn ? "purpose.own" : "purpose.all", { dates });
}

function Scope({ view, onChange }: { view: View; onChange: Change }) {
  const { t } = useTranslation("dashboard");
  const options = [
    { value: "all", text: t("scope.all") },
    { value: "me", text: t("scope.me") },
  ] as const;
  return (
    <Segmented
      label={t("scope.label")}
      options={options}
      value={view.isOwn ? "me" : "all"}
      onChange={(scope) => onChange({ scope: scope === "me" ? "me" : undefined, username: undefined })}
    />
  );
}

function UserChip({ username, onClear }: { username: string; onClear: () => void }) {
  const { t } = useTranslation("dashboard");
  return (
    <span className={styles.chip}>
      {t("scope.user")} <b title={visible(username)}>{visible(username)}</b>
      <button type="button" aria-label={t("scope.clear")} onClick={onClear}>
        <IconX size={13} stroke={1.5} />
      </button>
    </span>
  );
}

function Refresh({ isFetching, onClick }: { isFetching: boolean; onClick: () => void }) {
  const { t } = useTranslation("dashboard");
  return (
    <Tooltip label={t("refresh")}>
      <ActionIcon variant="subtle" size={32} aria-label={t("refresh")} aria-busy={isFetching} onClick={onClick}>
        <IconRefresh size={17} stroke={1.5} className={isFetching ? styles.turning : undefined} />
      </ActionIcon>
    </Tooltip>
  );
}

function NoCalls() {
  const { t } = useTranslation("dashboard");
  return (
    <Empty
      title={t("empty.title")}
      sentence={t("empty.sentence")}
      actions={
        <Button component={Link} to="/token" variant="filled">
          {t("empty.tokens")}
        </Button>
      }
    />
  );
}

interface CardsProps {
  view: View;
  overview: Overview;
  calls: ReturnType<typeof useCalls>;
  nowMs: number;
  isPhone: boolean;
  onChange: Change;
}

const useCalls = (view: View) => useQuery(callsQuery(view));

/** The chart of usage, or of how calls went once that is there. */
function ChartPlace({ view, overview, calls, isPhone, series, onChange }: CardsProps & { series: ModelSeries[] }) {
  const { t } = useTranslation("dashboard");
  const { callMeasure } = view;
  if (callMeasure !== undefined && calls.data === undefined)
    return calls.error === null ? (
      <ChartPlaceholder />
    ) : (
      <ErrorState title={t("notLoaded")} error={calls.error} onRetry={() => void calls.refetch()} />
    );
  const face =
    callMeasure !== undefined && calls.data !== undefined
      ? callFace(t, callMeasure, calls.data)
      : usageFace(t, view, overview, series);
  return (
    <ChartCard
      // What was isolated in one chart is none of the next one's.
      key={callMeasure ?? view.measure}
      view={view}
      face={face}
      isPhone={isPhone}
      minutesPastHour={overview.minutes_past_hour}
      onChange={onChange}
    />
  );
}

function Cards(props: CardsProps) {
  const { view, overview, calls, nowMs, isPhone, onChange } = props;
  const { t } = useTranslation("dashboard");
  const series = seriesOf(overview, view.measure, (count) => t("other", { count }));
  const hasPayers = overview.users !== undefined && !view.isOwn;
  const days = daysOf(view.range);
  const rangeText = useRangeText(view.range, nowMs);
  const span = days > 1 ? t("days", { count: days }) : rangeText;
  const username = useLogUser(view);
  const { start, end } = overview;
  const hrefOf = ({ id }: ModelSeries) => logHref({ start, end, model: id, username, type: "charged" });
  const report = calls.data ?? (calls.error === null ? undefined : null);
  return (
    <>
      <Tiles overview={overview} nowMs={nowMs} isOwn={view.isOwn || view.username !== undefined} />
      <CallTiles report={report} callMeasure={view.callMeasure} onChange={onChange} />
      <ChartPlace {...props} series={series} />
      <div className={styles.cards} data-count={hasPayers ? 3 : 2}>
        {!isPhone && <ShareCard series={series} measure={view.measure} span={span} hrefOf={hrefOf} />}
        <CallsCard series={series} hrefOf={hrefOf} />
        {hasPayers && <PayersCard overview={overview} view={view} onUser={(name) => onChange({ username: name })} />}
      </div>
      {overview.margin !== undefined && (
        <MarginCard
          margin={overview.margin}
          hrefOf={(of) => logHref({ start, end, username, type: "charged", ...of })}
        />
      )}
      {calls.data !== undefined && <CallCard view={view} report={calls.data} />}
    </>
  );
}

export function DashboardPage() {
  const { t } = useTranslation("dashboard");
  const isAdmin = useMay("logs");
  const isPhone = useMediaQuery(PHONE_QUERY, false, { getInitialValueInEffect: false }) ?? false;
  const [view, change] = useView();
  const query = useQuery(overviewQuery(view));
  const calls = useCalls(view);
  const firstSteps = useFirstSteps();
  const { data, error } = query;
  const [openedAtMs] = useState(() => Date.now());
  const nowMs = query.dataUpdatedAt || openedAtMs;
  const isUnused =
    data !== undefined && data.request_count === 0 && data.totals.requests === 0 && view.username === undefined;
  const refetch = () => Promise.all([query.refetch(), calls.refetch()]);
  const scope = isAdmin && <Scope view={view} onChange={change} />;
  const chip = view.username !== undefined && (
    <UserChip username={view.username} onClear={() => change({ username: undefined })} />
  );
  const purpose = (
    <>
      <span className={styles.purpose}>{usePurpose(view, nowMs)} </span>
      {error !== null && data !== undefined && <NotRefreshed onRetry={() => void query.refetch()} />}
    </>
  );
  const actions = (
    <>
      {!isPhone && chip}
      {!isPhone && scope}
      <RangeFilter range={view.range} nowMs={nowMs} onChange={change} />
      {!isPhone && <Refresh isFetching={query.isFetching || calls.isFetching} onClick={() => void refetch()} />}
    </>
  );
  return (
    <div className={styles.place}>
      <Page title={t("title")} purpose={purpose} actions={actions}>
        {isPhone && (chip || scope) && (
          <div className={styles.phoneRow}>
            {scope}
            {chip}
          </div>
        )}
        <LostModelsLine hasLink />
        {firstSteps.steps !== undefined && (
          <div className={styles.steps}>
            <FirstStepsCard steps={firstSteps.steps} onAway={firstSteps.putAway} />
          </div>
        )}
        <MemberSteps className={styles.steps} />
        {firstSteps.isWaiting ? null : isUnused ? (
          firstSteps.steps === undefined && <NoCalls />
        ) : (
          <div
            className={styles.body}
            aria-busy={data === undefined && error === null}
            data-is-old={query.isPlaceholderData || undefined}
          >
            {data !== undefined ? (
              <Cards view={view} overview={data} calls={calls} nowMs={nowMs} isPhone={isPhone} onChange={change} />
            ) : error !== null ? (
              <ErrorState title={t("notLoaded")} error={error} onRetry={() => void query.refetch()} />
            ) : (
              <Placeholder cards={view.isOwn ? 2 : 3} />
            )}
          </div>
        )}
        <SitePart />
      </Page>
    </div>
  );
}
