/** The left of a receipt: how the price came about, line by line, to the amber total. */
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import type { LogRow } from "./fns/log-row.ts";
import { type PriceLine, type PriceTable, priceTable } from "./fns/price-table.ts";
import type { Receipt } from "./fns/receipt.ts";
import styles from "./receipt.module.css";

function Line({ line }: { line: PriceLine }) {
  const { t } = useTranslation("logs");
  return (
    <tr>
      <th scope="row">{t(`part.${line.part}`)}</th>
      <td>{line.part === "call" ? t("receipt.oneCall") : formatNumber(line.count)}</td>
      <td className={styles.quiet} title={line.ratio === "" ? undefined : t("receipt.ratioOf", { ratio: line.ratio })}>
        ${withCents(line.price)}
      </td>
      <td>${line.cost}</td>
    </tr>
  );
}

/** At least two decimals: "3" is "3.00", "0.075" stays. */
function withCents(price: string): string {
  const [whole = "0", decimals = ""] = price.split(".");
  return `${whole}.${decimals.padEnd(2, "0")}`;
}

function signed(amount: string): string {
  return amount.startsWith("-") ? `−$${amount.slice(1)}` : `+$${amount}`;
}

function Sums({ table, group }: { table: PriceTable; group: string }) {
  const { t } = useTranslation("logs");
  return (
    <>
      {table.lines.length > 1 && (
        <tr>
          <th scope="row" colSpan={3}>
            {t("receipt.subtotal")}
          </th>
          <td>${table.subtotal}</td>
        </tr>
      )}
      <tr>
        <th scope="row" colSpan={3}>
          {t("receipt.groupRatio")} <span className={styles.quiet}>{group}</span>
        </th>
        <td>× {table.groupRatio}</td>
      </tr>
      {table.remainder !== undefined && (
        <tr>
          <th scope="row" colSpan={3}>
            {t(table.remainderKind === "rounded" ? "receipt.rounding" : "receipt.otherParts")}
          </th>
          <td>{signed(table.remainder)}</td>
        </tr>
      )}
    </>
  );
}

function RatioLine({ table, receipt }: { table: PriceTable; receipt: Receipt }) {
  const { t } = useTranslation("logs");
  const version = receipt.price_version === undefined ? "" : t("receipt.version", { version: receipt.price_version });
  const ratios =
    table.ratios === undefined ? t("receipt.fixed", { version }) : t("receipt.ratios", { ...table.ratios, version });
  return <p className={styles.note}>{ratios}</p>;
}

export function PriceLines({ row, receipt }: { row: LogRow; receipt: Receipt }) {
  const { t } = useTranslation("logs");
  const { quota_per_unit } = useStatus();
  const table = priceTable(row, receipt, String(quota_per_unit));
  if (table === undefined)
    return <p className={styles.note}>{t("receipt.noPrice", { formatted: formatNumber(row.quota) })}</p>;
  return (
    <>
      <table className={styles.price}>
        <thead>
          <tr>
            <th scope="col">{t("receipt.part")}</th>
            <th scope="col">{t("receipt.tokens")}</th>
            <th scope="col">{t(table.ratios === undefined ? "receipt.perCall" : "receipt.perMillion")}</th>
            <th scope="col">{t("receipt.cost")}</th>
          </tr>
        </thead>
        <tbody>
          {table.lines.map((line) => (
            <Line key={line.part} line={line} />
          ))}
          <Sums table={table} group={row.group} />
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              <b>{t("receipt.charged")}</b>{" "}
              <span className={styles.quiet}>
                {t("receipt.quotaRounded", { formatted: formatNumber(table.quota) })}
              </span>
            </th>
            <td className={styles.total}>${table.charged}</td>
          </tr>
        </tfoot>
      </table>
      <RatioLine table={table} receipt={receipt} />
    </>
  );
}
