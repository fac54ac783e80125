/** The chart's numbers as a table: a row a bucket, newest first, a column a model, sums at the end. */
import { useTranslation } from "react-i18next";
import { Swatch } from "../../ui/charts/bars.tsx";
import styles from "./usage-table.module.css";
import { type ModelSeries, slotsOf } from "./fns/chart-data.ts";
import { decimalsFor, readTogether } from "./fns/figures.ts";
import type { Measure } from "./fns/view.ts";
import type { Overview } from "./queries.ts";

function Cells({ values, measure, decimals }: { values: readonly number[]; measure: Measure; decimals: number }) {
  const { parts, total } = readTogether(values, measure, decimals);
  return (
    <>
      <td className={styles.sum}>{total}</td>
      {parts.map((part, index) => (
        // Columns never change places while a row is shown.
        <td key={index} className={values[index] === 0 ? styles.zero : undefined}>
          {part}
        </td>
      ))}
    </>
  );
}

export function UsageTable({
  overview,
  series,
  measure,
}: {
  overview: Overview;
  series: readonly ModelSeries[];
  measure: Measure;
}) {
  const { t } = useTranslation("dashboard");
  const slots = slotsOf(overview).map((slot, index) => ({
    slot,
    values: series.map(({ values }) => values[index] ?? 0),
  }));
  // One number of decimals for the whole table: what its greatest row needs.
  const decimals = decimalsFor(
    Math.max(0, ...slots.map(({ values }) => values.reduce((sum, value) => sum + value, 0))),
  );
  return (
    <div className={styles.tableScroll} role="region" tabIndex={0} aria-label={t(`chart.label.${measure}`)}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t(`by.${overview.granularity}`)}</th>
            <th scope="col">{t("table.total")}</th>
            {series.map((each) => (
              <th key={each.id} scope="col">
                <span className={styles.columnName}>
                  <Swatch color={each.color} />
                  <span className={`${styles.name} mono`} title={each.name}>
                    {each.name}
                  </span>
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {slots.toReversed().map(({ slot, values }) => (
            <tr key={slot.id}>
              <th scope="row">{slot.title}</th>
              <Cells values={values} measure={measure} decimals={decimals} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t("table.total")}</th>
            <Cells values={series.map(({ total }) => total)} measure={measure} decimals={decimals} />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
