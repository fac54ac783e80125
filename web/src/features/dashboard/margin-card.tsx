/** For administrators: what was charged, what it cost at the upstream and what is left, by channel and by model. */
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { Margin, MarginRow, MarginSums } from "../../../../contract/src/features/dashboard.ts";
import { isCostKnown, knownShare, marginOf, marginShare, signed } from "../../ui/charts/margin.ts";
import { visible } from "../../lib/names.ts";
import { Segmented } from "../../ui/form/fields.tsx";
import { directionOf, SortButton } from "../../ui/sort-button.tsx";
import styles from "./call-card.module.css";
import page from "./dashboard.module.css";
import { LogLink } from "./log-link.tsx";
import {
  decimalsFor,
  roundedAmount,
  inOrder,
  MARGIN_COLUMNS,
  type MarginColumn,
  type MarginOrder,
  nextOrder,
} from "./model/figures.ts";

const TABS = ["channel", "model"] as const;
type Tab = (typeof TABS)[number];

function useRowName(tab: Tab): (row: MarginRow) => string {
  const { t } = useTranslation("dashboard");
  return ({ id, name, count }) => {
    if (name !== "") return visible(name);
    if (count > 1) return t(tab === "channel" ? "payers.others" : "other", { count });
    if (tab === "model") return t("calls.noModel");
    return id === 0 ? t("payers.noChannel") : t("payers.goneChannel", { id });
  };
}

/** Charged, cost, margin and its share; a dash where it is not known, because that is not 0. All amounts have the same decimals. */
function Cells({ sums, decimals }: { sums: MarginSums; decimals: number }) {
  const amountOf = (quota: number): string => roundedAmount(quota, decimals);
  const isKnown = isCostKnown(sums);
  const margin = marginOf(sums);
  const isLoss = isKnown && margin < 0;
  return (
    <>
      <td>{amountOf(sums.quota)}</td>
      <td className={styles.wideOnly}>{isKnown ? amountOf(sums.cost) : "–"}</td>
      <td data-is-bad={isLoss || undefined}>{isKnown ? signed(margin, amountOf) : "–"}</td>
      <td data-is-bad={isLoss || undefined}>{marginShare(sums) ?? "–"}</td>
      <td className={`${styles.tail} ${styles.wideOnly}`}>{knownShare(sums) ?? "–"}</td>
    </>
  );
}

interface HeadCellProps {
  name: MarginColumn;
  order: MarginOrder | undefined;
  onOrder: () => void;
}

function HeadCell({ name, order, onOrder }: HeadCellProps) {
  const { t } = useTranslation("dashboard");
  const direction = order?.by === name ? directionOf(order.isDescending) : undefined;
  return (
    <th scope="col" className={WIDE_ONLY.has(name) ? styles.wideOnly : undefined} aria-sort={direction}>
      <SortButton direction={direction} onClick={onOrder}>
        {t(`margin.column.${name}`)}
      </SortButton>
    </th>
  );
}
/** A phone has room for what is left of what was charged. */
const WIDE_ONLY: ReadonlySet<MarginColumn> = new Set(["cost", "known"]);

interface MarginCardProps {
  margin: Margin;
  /** Where a channel or model leads. */
  hrefOf: (filter: { channel: number } | { model: string }) => string | undefined;
}

export function MarginCard({ margin, hrefOf }: MarginCardProps) {
  const { t } = useTranslation("dashboard");
  const [tab, setTab] = useState<Tab>("channel");
  const nameOf = useRowName(tab);
  const [order, setOrder] = useState<MarginOrder>();
  const rows = inOrder(tab === "channel" ? margin.channels : margin.models, order);
  const decimals = decimalsFor(margin.totals.quota);
  const linkOf = ({ id, name, count }: MarginRow) =>
    count > 1 ? undefined : hrefOf(tab === "channel" ? { channel: id } : { model: name });
  return (
    <section className={page.card} aria-labelledby="dashboard-margin">
      <header className={page.cardHead}>
        <h2 id="dashboard-margin" className={page.cardTitle}>
          {t("margin.by")}
        </h2>
        <Segmented
          label={t("margin.by")}
          options={TABS.map((value) => ({ value, text: t(`calls.by.${value}`) }))}
          value={tab}
          onChange={setTab}
        />
      </header>
      {rows.length === 0 ? (
        <p className={page.none}>{t("chart.nothing")}</p>
      ) : (
        <div className={styles.scroll} role="region" tabIndex={0} aria-label={t("margin.by")}>
          <table className={`${styles.table} ${styles.flowing}`}>
            <thead>
              <tr>
                <th scope="col">{t(`calls.by.${tab}`)}</th>
                {MARGIN_COLUMNS.map((column) => (
                  <HeadCell
                    key={column}
                    name={column}
                    order={order}
                    onOrder={() => setOrder(nextOrder(order, column))}
                  />
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={`${row.id} ${row.name}`}>
                  <th scope="row" className={tab === "model" ? "mono" : undefined}>
                    <LogLink href={linkOf(row)}>{nameOf(row)}</LogLink>
                  </th>
                  <Cells sums={row} decimals={decimals} />
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">{t("table.total")}</th>
                <Cells sums={margin.totals} decimals={decimals} />
              </tr>
            </tfoot>
          </table>
        </div>
      )}
      <p className={page.footnote}>{t("margin.note")}</p>
    </section>
  );
}
