/** Bars by day on a channel's page: calls with their failures, the median time to the first token, and the balance. Each has its numbers as text. */
import { useTranslation } from "../../../lib/i18n.ts";
import type { BalancePoint, ChannelOverview } from "../../../../../contract/src/channels/page.ts";
import { formatAmount, formatDate, formatDurationMs, formatNumber } from "../../../lib/format.ts";
import styles from "./detail.module.css";

export interface DayBar {
  day: number;
  /** Height of the whole bar. */
  value: number;
  /** Its parts of other colours from its top down, as shares of it from 0 to 1; what they leave has the bar's own. */
  parts?: readonly { tone: "red" | "green" | "idle"; share: number }[];
  text: string;
}

/** A bar with its gap is no wider, so that few days are no walls; the two days below keep apart. */
const BAR_PX = 43;
const LEAST_PX = 140;

export function Bars({ label, bars, tone }: { label: string; bars: readonly DayBar[]; tone?: "amber" }) {
  const most = Math.max(1e-9, ...bars.map(({ value }) => value));
  const [first, last] = [bars[0], bars.at(-1)];
  return (
    <div style={{ maxWidth: Math.max(LEAST_PX, bars.length * BAR_PX) }}>
      <ul className={styles.bars} aria-label={label}>
        {bars.map(({ day, value, parts = [], text }) => (
          <li
            key={day}
            className={styles.bar}
            data-tone={tone}
            style={{ height: `${(Math.max(0, value) / most) * 100}%` }}
            title={text}
            aria-label={text}
          >
            {parts.map(({ tone, share }) => (
              <span
                key={tone}
                className={styles.part}
                data-tone={tone}
                style={{ height: `${share * 100}%` }}
                aria-hidden
              />
            ))}
          </li>
        ))}
      </ul>
      <div className={styles.axis} aria-hidden>
        <span>{first && formatDate(first.day)}</span>
        <span>{last && last !== first && formatDate(last.day)}</span>
      </div>
    </div>
  );
}

type Days = ChannelOverview["days"];

export function CallBars({ days }: { days: Days }) {
  const { t } = useTranslation("channels");
  const bars = days.map(({ day, succeeded, failed }) => ({
    day,
    value: succeeded + failed,
    parts: [{ tone: "red" as const, share: succeeded + failed === 0 ? 0 : failed / (succeeded + failed) }],
    text: t("detail.callsOf", {
      day: formatDate(day),
      succeeded: formatNumber(succeeded),
      failed: formatNumber(failed),
    }),
  }));
  return (
    <>
      <Bars label={t("detail.calls")} bars={bars} />
      <div className={styles.key}>
        <span>
          <i aria-hidden />
          {t("detail.answered")}
        </span>
        <span>
          <i data-tone="red" aria-hidden />
          {t("detail.failed")}
        </span>
      </div>
    </>
  );
}

/** A time that is read from buckets; a dash where none was measured. */
export const timeText = (ms: number | null): string => (ms === null ? "–" : `~${formatDurationMs(ms)}`);

export function FirstTokenBars({ days }: { days: Days }) {
  const { t } = useTranslation("channels");
  const bars = days.map(({ day, first_token_ms: ms }) => ({
    day,
    value: ms ?? 0,
    text: t("detail.dayOf", { day: formatDate(day), value: timeText(ms) }),
  }));
  return <Bars label={t("detail.firstToken")} bars={bars} />;
}

export function BalanceBars({ balances, currency }: { balances: readonly BalancePoint[]; currency: string }) {
  const { t } = useTranslation("channels");
  const bars = balances.map(({ day, balance }) => ({
    day,
    value: balance,
    text: t("detail.dayOf", { day: formatDate(day), value: `${formatAmount(balance)} ${currency}` }),
  }));
  return <Bars label={t("detail.balance")} bars={bars} tone="amber" />;
}
