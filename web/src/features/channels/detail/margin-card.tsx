/** The card of a channel's margin on its page: what its calls were charged, cost at the upstream and left, by day and together. */
import { useTranslation } from "../../../lib/i18n.ts";
import type { MarginDay } from "../../../../../contract/src/channels/page.ts";
import type { MarginSums } from "../../../../../contract/src/features/dashboard.ts";
import { amountDecimals, formatDate, formatQuota, quotaToAmount } from "../../../lib/format.ts";
import { isCostKnown, knownShare, marginOf, marginShare, signed } from "../../../ui/charts/margin.ts";
import { Card, Fact, Facts } from "../../../ui/display/card.tsx";
import { Bars, type DayBar } from "./charts.tsx";
import styles from "./detail.module.css";

const sumOf = (days: readonly MarginSums[], part: keyof MarginSums): number =>
  days.reduce((sum, day) => sum + day[part], 0);

/** Above the cost that charges cover: what is left of them, or the loss, and charges of an unknown cost. */
function partsOf(sums: MarginSums): Pick<DayBar, "value" | "parts"> {
  const { quota, costed_quota: costed, cost } = sums;
  const value = quota - costed + Math.max(costed, cost);
  const share = (part: number) => (value === 0 ? 0 : Math.max(0, part) / value);
  return {
    value,
    parts: [
      { tone: "idle", share: share(quota - costed) },
      { tone: "green", share: share(marginOf(sums)) },
      { tone: "red", share: share(-marginOf(sums)) },
    ],
  };
}

function MarginBars({ days }: { days: readonly MarginDay[] }) {
  const { t } = useTranslation("channels");
  const textOf = (day: MarginDay): string =>
    t(isCostKnown(day) || day.quota === 0 ? "detail.margin.of" : "detail.margin.ofUnknown", {
      day: formatDate(day.day),
      charged: formatQuota(day.quota),
      cost: formatQuota(day.cost),
      margin: signed(marginOf(day), formatQuota),
    });
  const bars = days.map((day) => ({ day: day.day, text: textOf(day), ...partsOf(day) }));
  const has = (tone: "green" | "red" | "idle") =>
    bars.some(({ parts = [] }) => parts.some((part) => part.tone === tone && part.share > 0));
  const key = [
    { tone: "green", text: t("detail.margin.left") },
    { tone: "red", text: t("detail.margin.loss") },
    { tone: "idle", text: t("detail.margin.unknown") },
  ] as const;
  return (
    <>
      <Bars label={t("detail.margin.title")} bars={bars} />
      <div className={styles.key}>
        <span>
          <i aria-hidden />
          {t("detail.margin.cost")}
        </span>
        {key
          .filter(({ tone }) => has(tone))
          .map(({ tone, text }) => (
            <span key={tone}>
              <i data-tone={tone} aria-hidden />
              {text}
            </span>
          ))}
      </div>
    </>
  );
}

function Totals({ totals }: { totals: MarginSums }) {
  const { t } = useTranslation("channels");
  const decimals = amountDecimals(quotaToAmount(totals.quota));
  const amountOf = (quota: number): string => formatQuota(quota, decimals);
  const isKnown = isCostKnown(totals);
  const share = marginShare(totals);
  return (
    <Facts>
      <Fact name={t("detail.margin.charged")}>{amountOf(totals.quota)}</Fact>
      <Fact name={t("detail.margin.cost")}>{isKnown ? amountOf(totals.cost) : "–"}</Fact>
      <Fact name={t("detail.margin.left")}>
        <span className={marginOf(totals) < 0 ? styles.loss : undefined}>
          {isKnown ? signed(marginOf(totals), amountOf) : "–"}
          {share !== undefined && ` (${share})`}
        </span>
      </Fact>
      <Fact name={t("detail.margin.known")}>{knownShare(totals) ?? "–"}</Fact>
    </Facts>
  );
}

export function MarginCard({ days }: { days: readonly MarginDay[] }) {
  const { t } = useTranslation("channels");
  const totals = {
    quota: sumOf(days, "quota"),
    costed_quota: sumOf(days, "costed_quota"),
    cost: sumOf(days, "cost"),
  };
  const isEmpty = totals.quota === 0 && totals.cost === 0;
  return (
    <Card title={t("detail.margin.title")} text={t("detail.margin.text")}>
      {isEmpty ? (
        <p className={styles.nothing}>{t("detail.margin.nothing", { count: days.length })}</p>
      ) : (
        <>
          <Totals totals={totals} />
          <MarginBars days={days} />
        </>
      )}
    </Card>
  );
}
