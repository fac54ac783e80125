/** The dashboard's tiles: balance, calls, tokens and spend, for administrators also the margin, each with its change against the period before. */
import { Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { formatNumber, formatShort } from "../../lib/format.ts";
import { knownShare, marginOf, marginShare, signed } from "../../ui/charts/margin.ts";
import { Sparkline } from "../../ui/charts/sparkline.tsx";
import styles from "./tiles.module.css";
import { totalsByBucket } from "./model/chart-data.ts";
import {
  changeText,
  daysLeft,
  decimalsFor,
  isMore,
  spendText,
  tileAmount,
  tileCount,
  tokensOf,
} from "./model/figures.ts";
import type { Overview } from "./queries.ts";

const DAY_S = 86_400;
const DAYS_SAID_MAX = 365;

interface TileProps {
  label: string;
  value: string;
  /** Read on hover. */
  exact: string;
  under: ReactNode;
  rate: ReactNode;
  line: readonly number[];
  tone: "amber" | "accent";
  /** An amount below 0, which is red beside its sign. */
  isLoss?: boolean;
}

function Tile({ label, value, exact, under, rate, line, tone, isLoss = false }: TileProps) {
  return (
    <div className={styles.tile}>
      <dt className={styles.tileLabel}>{label}</dt>
      <dd className={styles.tileValue} data-is-loss={isLoss || undefined}>
        <Tooltip label={exact}>
          <span>{value}</span>
        </Tooltip>
      </dd>
      <dd className={styles.tileUnder}>{under}</dd>
      <dd className={styles.tileRate}>{rate}</dd>
      <dd className={styles.tileLine} aria-hidden>
        <Sparkline values={line} tone={tone} />
      </dd>
    </div>
  );
}

/** Seconds of the range that are over. */
const elapsedS = ({ start, end }: Overview, nowMs: number): number => Math.min(end + 1, nowMs / 1000) - start;

function useBefore(overview: Overview): string {
  const { t } = useTranslation("dashboard");
  const seconds = overview.end + 1 - overview.start;
  return seconds > DAY_S
    ? t("before.days", { count: Math.round(seconds / DAY_S) })
    : t("before.hours", { count: Math.round(seconds / 3600) });
}

interface ChangeProps {
  now: number;
  /** Undefined where there was no whole range before. */
  before: number | undefined;
  isGood: boolean;
  /** Behind the change, or alone where there was nothing to compare with. */
  children: ReactNode;
}

/** More calls and tokens are green; spend never has a colour. Beside a change a phone has no room for more. */
function Change({ now, before, isGood, children }: ChangeProps) {
  const { t } = useTranslation("dashboard");
  const change = before === undefined ? undefined : changeText(now, before);
  return (
    <>
      {change !== undefined && (
        <span className={styles.change} data-is-good={(isGood && isMore(change)) || undefined}>
          {change}
        </span>
      )}
      <span className={change === undefined ? undefined : styles.wideOnly}>
        {change !== undefined && children && t("comma")}
        {children}
      </span>
    </>
  );
}

/** What the change is measured against; said once, in the tile of the requests. */
function Before({ overview }: { overview: Overview }) {
  const { t } = useTranslation("dashboard");
  const { totals, previous } = overview;
  const before = useBefore(overview);
  if (!overview.previous_is_full) return t("before.partial");
  const change = changeText(totals.requests, previous.requests);
  if (change === undefined) return t("before.nothing");
  return (
    <>
      <span className={styles.change} data-is-good={isMore(change) || undefined}>
        {change}
      </span>
      <span className={styles.wideOnly}> {t("before.to", { before })}</span>
    </>
  );
}

function Lasts({ overview, nowMs }: { overview: Overview; nowMs: number }) {
  const { t } = useTranslation("dashboard");
  const atThisPace = <span className={styles.wideOnly}>{t("lasts.pace")}</span>;
  if (overview.balance === 0 && overview.used_quota === 0) return t("lasts.never");
  if (overview.balance <= 0) return t("lasts.none");
  const days = daysLeft(overview.balance, overview.totals.quota, elapsedS(overview, nowMs));
  if (days === undefined) return t("lasts.unused");
  const words =
    days > DAYS_SAID_MAX ? t("lasts.long") : days === 0 ? t("lasts.today") : t("lasts.days", { count: days });
  return (
    <>
      {words}
      {atThisPace}
    </>
  );
}

/** The margin: charges less the upstreams' costs, as far as these are known. */
function MarginTile({ margin, isFull }: { margin: NonNullable<Overview["margin"]>; isFull: boolean }) {
  const { t } = useTranslation("dashboard");
  const { totals, previous, series } = margin;
  const [amount, before] = [marginOf(totals), marginOf(previous)];
  const share = marginShare(totals);
  const known = knownShare(totals);
  const exact = [
    t("margin.charged", { amount: spendText(totals.costed_quota) }),
    t("margin.cost", { amount: spendText(totals.cost) }),
  ].join(t("comma"));
  return (
    <Tile
      label={t("margin.title")}
      value={share === undefined ? "–" : signed(amount, (size) => tileAmount(size, decimalsFor(size)))}
      isLoss={amount < 0}
      exact={exact}
      under={
        <Change now={amount} before={isFull && before > 0 && amount >= 0 ? before : undefined} isGood>
          {share !== undefined && t("margin.share", { share })}
        </Change>
      }
      rate={known === undefined ? t("margin.nothing") : t("margin.known", { share: known })}
      line={series}
      tone="accent"
    />
  );
}

/** @param nowMs when the overview came */
export function Tiles({ overview, nowMs, isOwn }: { overview: Overview; nowMs: number; isOwn: boolean }) {
  const { t } = useTranslation("dashboard");
  const { totals, previous, previous_is_full: isFull } = overview;
  const tokens = tokensOf(totals);
  const input = tokens === 0 ? 0 : Math.round((totals.prompt_tokens / tokens) * 100);
  const perCall =
    totals.requests === 0 ? t("tile.noCalls") : t("tile.perCall", { cost: spendText(totals.quota / totals.requests) });
  const exact = (quota: number) =>
    `${spendText(quota)}${t("comma")}${t("tile.units", { formatted: formatNumber(quota) })}`;
  const inAll = t("tile.requestsInAll", { formatted: formatNumber(overview.request_count) });
  const requestsTitle = `${formatNumber(totals.requests)}${t("comma")}${inAll}`;
  const tokensTitle = t("tile.tokensExact", {
    input: formatNumber(totals.prompt_tokens),
    output: formatNumber(totals.completion_tokens),
  });
  return (
    <dl className={styles.tiles} data-count={overview.margin === undefined ? undefined : 5}>
      <Tile
        label={t(isOwn ? "tile.balance" : "tile.balances")}
        value={tileAmount(overview.balance)}
        exact={exact(overview.balance)}
        under={<Lasts overview={overview} nowMs={nowMs} />}
        rate={t("tile.usedInAll", { amount: tileAmount(overview.used_quota, decimalsFor(overview.used_quota)) })}
        line={overview.balance_series}
        tone="amber"
      />
      <Tile
        label={t("tile.requests")}
        value={tileCount(totals.requests)}
        exact={requestsTitle}
        under={<Before overview={overview} />}
        rate={t("tile.rpm", { formatted: formatShort(overview.rpm) })}
        line={totalsByBucket(overview, "requests")}
        tone="accent"
      />
      <Tile
        label={t("tile.tokens")}
        value={formatShort(tokens)}
        exact={tokensTitle}
        under={
          <Change now={tokens} before={isFull ? tokensOf(previous) : undefined} isGood>
            {tokens > 0 && t("tile.input", { percent: input })}
          </Change>
        }
        rate={t("tile.tpm", { formatted: formatShort(overview.tpm) })}
        line={totalsByBucket(overview, "tokens")}
        tone="accent"
      />
      <Tile
        label={t("tile.spend")}
        value={tileAmount(totals.quota, decimalsFor(totals.quota))}
        exact={exact(totals.quota)}
        under={
          <Change now={totals.quota} before={isFull ? previous.quota : undefined} isGood={false}>
            {t("tile.today", { amount: spendText(overview.today_quota) })}
          </Change>
        }
        rate={perCall}
        line={totalsByBucket(overview, "quota")}
        tone="amber"
      />
      {overview.margin !== undefined && <MarginTile margin={overview.margin} isFull={isFull} />}
    </dl>
  );
}

/** The same box before the first answer. */
export function TilesPlaceholder({ count }: { count: 4 | 5 }) {
  return (
    <div className={styles.tiles} data-count={count === 5 ? 5 : undefined} aria-hidden>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className={styles.tile}>
          <span className={styles.bone} style={{ width: 60, marginBlock: 4 }} />
          <span className={`${styles.bone} ${styles.boneValue}`} />
          <span className={styles.bone} style={{ width: 140, marginBlock: 4 }} />
          <span className={styles.bone} style={{ width: 90, marginBlock: 4 }} />
          <div className={styles.tileLine} />
        </div>
      ))}
    </div>
  );
}
