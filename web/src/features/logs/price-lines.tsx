/** The left part of a receipt: the price line by line, to the total; below it the cost for the operator. */
import { formatDate, formatNumber, formatQuota, isOtherCurrencyShown } from "../../lib/format.ts";
import { language, useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { useStatus } from "../../lib/status.ts";
import type { LogRow } from "./model/log-row.ts";
import { type PriceLine, type PriceTable, priceTable, marginFigures } from "./model/price-table.ts";
import type { Receipt, UpstreamCost } from "./model/receipt.ts";
import styles from "./receipt.module.css";

/** Of the total in the currency shown, as many as the dollars have. */
const SHOWN_DECIMALS = 6;

/** "0.0125" is shown as it is, "8.333333333333" is not. */
const MAX_RATIO_DIGITS = 7;

function useCount(line: PriceLine): string {
  const { t } = useTranslation("logs");
  if (line.pricedBy === "million") return formatNumber(line.count);
  if (line.pricedBy === "thousandCalls")
    return t("receipt.calls", { count: line.count, formatted: formatNumber(line.count) });
  return line.factor === undefined ? t("receipt.oneCall") : t("receipt.oneCallTimes", { factor: line.factor });
}

function Line({ line }: { line: PriceLine }) {
  const { t } = useTranslation("logs");
  const count = useCount(line);
  return (
    <tr>
      <th scope="row">{t(`part.${line.part}`)}</th>
      <td>{count}</td>
      <td
        className={styles.quiet}
        title={line.ratio === "" ? undefined : t("receipt.ratioOf", { ratio: shortRatio(line.ratio) })}
      >
        {usdText(line.price)}
        {line.pricedBy === "thousandCalls" && t("receipt.perThousandCalls")}
      </td>
      <td>{usdText(line.cost)}</td>
    </tr>
  );
}

/** Ratios that divide two prices never end: four digits say enough of them. Text that is no number stays as it is. */
function shortRatio(ratio: string): string {
  const value = Number(ratio);
  return Number.isFinite(value) && ratio.length > MAX_RATIO_DIGITS ? String(Number(value.toPrecision(4))) : ratio;
}

/** Dollars as exact decimal text with separators and at least two decimals: "3" is "$3.00", "0.075" stays. */
function usdText(amount: string): string {
  const [whole = "0", decimals = ""] = amount.split(".");
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${decimals.padEnd(2, "0")}`;
}

const signed = (amount: string): string =>
  amount.startsWith("-") ? `−${usdText(amount.slice(1))}` : `+${usdText(amount)}`;

function Sums({ table, group }: { table: PriceTable; group: string }) {
  const { t } = useTranslation("logs");
  return (
    <>
      {table.lines.length > 1 && (
        <tr>
          <th scope="row" colSpan={3}>
            {t("receipt.subtotal")}
          </th>
          <td>{usdText(table.subtotal)}</td>
        </tr>
      )}
      <tr>
        <th scope="row" colSpan={3}>
          {t("receipt.groupRatio")} <span className={styles.quiet}>{visible(group)}</span>
          {table.userGroup !== undefined && (
            <span className={styles.quiet}> {t("receipt.forUsersOf", { group: visible(table.userGroup) })}</span>
          )}
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
  const { price_version: version, price_since: since } = receipt;
  const ratios = table.ratios
    ?.map(({ name, ratio }) => t(`receipt.ratio.${name}`, { ratio: shortRatio(ratio) }))
    .join(t("comma"));
  const factor = table.lines.find((line) => line.factor !== undefined)?.factor;
  const fixed = factor === undefined ? t("receipt.fixed") : t("receipt.fixedTimes", { factor });
  const day = since === undefined ? undefined : formatDate(since);
  const sentences = [
    ratios === undefined ? fixed : t("receipt.ratios", { ratios }),
    ...table.surcharges.map(({ surcharge, ratio }) =>
      t(`receipt.surcharge.${surcharge}`, { ratio: shortRatio(ratio) }),
    ),
    ...(table.tierAbove === undefined ? [] : [t("receipt.tier", { formatted: formatNumber(table.tierAbove) })]),
    ...(version === undefined
      ? []
      : [t(day === undefined ? "receipt.version" : "receipt.versionOf", { version, day })]),
  ];
  return <p className={styles.note}>{sentences.join(language() === "zh" ? "" : " ")}</p>;
}

export function PriceLines({ row, receipt }: { row: LogRow; receipt: Receipt }) {
  const { t } = useTranslation("logs");
  const status = useStatus();
  const table = priceTable(row, receipt, String(status.quota_per_unit));
  if (table === undefined)
    return <p className={styles.note}>{t("receipt.noPrice", { formatted: formatNumber(row.quota) })}</p>;
  return (
    <>
      <table className={styles.price}>
        <thead>
          <tr>
            <th scope="col">{t("receipt.part")}</th>
            <th scope="col">{t(table.ratios === undefined ? "receipt.count" : "receipt.tokens")}</th>
            <th scope="col">{t(table.ratios === undefined ? "receipt.perCall" : "receipt.perMillion")}</th>
            <th scope="col">{t("receipt.cost")}</th>
          </tr>
        </thead>
        <tbody>
          {table.lines.map((line, index) => (
            <Line key={`${index} ${line.part}`} line={line} />
          ))}
          <Sums table={table} group={row.group} />
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              <b>{t("receipt.charged")}</b>{" "}
              <span className={styles.quiet}>
                {t("receipt.quotaRounded", { formatted: formatNumber(table.quota) })}
                {isOtherCurrencyShown(status) && ` = ${formatQuota(row.quota, SHOWN_DECIMALS)}`}
              </span>
            </th>
            <td className={styles.total}>{usdText(table.charged)}</td>
          </tr>
        </tfoot>
      </table>
      <RatioLine table={table} receipt={receipt} />
    </>
  );
}

function useOrigin(): (cost: UpstreamCost) => string {
  const { t } = useTranslation("logs");
  return ({ origin, factor }) => {
    if (origin === "typed") return t("receipt.costTyped");
    return factor === undefined ? t("receipt.costListed") : t("receipt.costFactor", { factor });
  };
}

/** For administrators: what the call cost at its upstream, by whose figures, and what it brought. */
export function MarginLines({ row, receipt }: { row: LogRow; receipt: Receipt }) {
  const { t } = useTranslation("logs");
  const { quota_per_unit } = useStatus();
  const originOf = useOrigin();
  const { cost } = receipt;
  if (cost === undefined)
    return (
      <p className={styles.note} data-margin>
        {t("receipt.costUnknown")}
      </p>
    );
  const figures = marginFigures(row.quota, cost, String(receipt.quota_per_unit ?? quota_per_unit));
  return (
    <table className={`${styles.price} ${styles.margin}`} data-margin>
      <tbody>
        <tr>
          <th scope="row">
            {t("receipt.upstreamCost")} <span className={styles.quiet}>{originOf(cost)}</span>
          </th>
          <td>{figures.cost}</td>
        </tr>
        <tr>
          <th scope="row">
            {t("receipt.margin")} <span className={styles.quiet}>{figures.share}</span>
          </th>
          <td className={cost.margin < 0 ? styles.loss : undefined}>{figures.margin}</td>
        </tr>
      </tbody>
    </table>
  );
}
