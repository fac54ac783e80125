/** The dashboard (/detail): tiles, usage by model over time, shares, calls, and for administrators users and channels. */
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconRefresh, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDate } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useStatus } from "../../lib/status.ts";
import { useIsAdmin } from "../../lib/viewer.ts";
import { PHONE_QUERY } from "../../lib/widths.ts";
import { Empty, ErrorState, NotRefreshed } from "../../ui/empty.tsx";
import { Segmented } from "../../ui/fields.tsx";
import { Page } from "../../ui/page.tsx";
import styles from "./dashboard.module.css";
import { seriesOf } from "./fns/chart-data.ts";
import { boundsOf, daysOf, parseView, type View, type ViewSearch } from "./fns/view.ts";
import { CallsCard, ShareCard } from "./model-cards.tsx";
import { PayersCard } from "./payers-card.tsx";
import { type Overview, overviewQuery } from "./queries.ts";
import { RangeFilter, useRangeText } from "./range-filter.tsx";
import { SpendCard } from "./spend-card.tsx";
import { Tiles, TilesPlaceholder } from "./tiles.tsx";

type Change = (change: ViewSearch) => void;

function useView(): [View, Change] {
  const search = useSearch({ strict: false }) as ViewSearch;
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const { data_export_default_time } = useStatus();
  const view = useMemo(
    () => parseView(search, data_export_default_time, isAdmin),
    [search, data_export_default_time, isAdmin],
  );
  const change: Change = (next) =>
    void navigate({
      to: ".",
      replace: true,
      resetScroll: false,
      search: ((old: object) => ({ ...old, ...next })) as unknown as never,
    });
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

/** Percent of the room there is: bars and lines as uneven as those to come. */
const BONE_HEIGHTS = [34, 52, 28, 46, 70, 62, 40, 24, 58, 66, 48, 36, 74, 54];
const BONE_WIDTHS = [88, 72, 80, 56, 64, 40];

/** The page before its first answer, at the heights it will have. */
function Placeholder({ isAdmin }: { isAdmin: boolean }) {
  return (
    <>
      <TilesPlaceholder />
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
      <div className={styles.cards} data-count={isAdmin ? 3 : 2} aria-hidden>
        {(isAdmin ? [0, 1, 2] : [0, 1]).map((index) => (
          <div key={index} className={styles.card}>
            <div className={styles.cardHead}>
              <span className={styles.bone} style={{ width: 96 }} />
            </div>
            {BONE_WIDTHS.map((width) => (
              <span key={width} className={styles.bone} style={{ width: `${width}%`, marginBlock: 8 }} />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

function Cards({
  view,
  overview,
  nowMs,
  isPhone,
  onChange,
}: {
  view: View;
  overview: Overview;
  nowMs: number;
  isPhone: boolean;
  onChange: Change;
}) {
  const { t } = useTranslation("dashboard");
  const series = seriesOf(overview, view.measure, (count) => t("other", { count }));
  const hasPayers = overview.users !== undefined && !view.isOwn;
  const days = daysOf(view.range);
  const rangeText = useRangeText(view.range, nowMs);
  const span = days > 1 ? t("days", { count: days }) : rangeText;
  return (
    <>
      <Tiles overview={overview} nowMs={nowMs} isOwn={view.isOwn || view.username !== undefined} />
      <SpendCard view={view} overview={overview} series={series} isPhone={isPhone} onChange={onChange} />
      <div className={styles.cards} data-count={hasPayers ? 3 : 2}>
        {!isPhone && <ShareCard series={series} measure={view.measure} span={span} />}
        <CallsCard series={series} />
        {hasPayers && <PayersCard overview={overview} onUser={(username) => onChange({ username })} />}
      </div>
    </>
  );
}

export function DashboardPage() {
  const { t } = useTranslation("dashboard");
  const isAdmin = useIsAdmin();
  const isPhone = useMediaQuery(PHONE_QUERY, false, { getInitialValueInEffect: false }) ?? false;
  const [view, change] = useView();
  const query = useQuery(overviewQuery(view));
  const { data, error } = query;
  const [openedAtMs] = useState(() => Date.now());
  const nowMs = query.dataUpdatedAt || openedAtMs;
  const isUnused =
    data !== undefined && data.request_count === 0 && data.totals.requests === 0 && view.username === undefined;
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
      {!isPhone && <Refresh isFetching={query.isFetching} onClick={() => void query.refetch()} />}
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
        {isUnused ? (
          <NoCalls />
        ) : (
          <div
            className={styles.body}
            aria-busy={data === undefined && error === null}
            data-is-old={query.isPlaceholderData || undefined}
          >
            {data !== undefined ? (
              <Cards view={view} overview={data} nowMs={nowMs} isPhone={isPhone} onChange={change} />
            ) : error !== null ? (
              <ErrorState title={t("notLoaded")} error={error} onRetry={() => void query.refetch()} />
            ) : (
              <Placeholder isAdmin={!view.isOwn} />
            )}
          </div>
        )}
      </Page>
    </div>
  );
}
