/** The chart's numbers as a table: a row a bucket, newest first, a column a series, sums at the end; each row leads to its calls. */
import { useTranslation } from "react-i18next";
import { Swatch } from "../../ui/charts/bars.tsx";
import type { ChartFace } from "./chart-face.ts";
import { LogLink } from "./log-link.tsx";
import styles from "./usage-table.module.css";
import { slotsOf } from "./model/chart-data.ts";

function Cells({ values, face }: { values: readonly number[]; face: ChartFace }) {
  const { parts, total } = face.readRows(values);
  return (
    <>
      {face.hasTotal && <td className={styles.sum}>{total}</td>}
      {parts.map((part, index) => (
        // Columns never change places while a row is shown.
        <td key={index} className={values[index] === 0 ? styles.zero : undefined}>
          {part}
        </td>
      ))}
    </>
  );
}

interface UsageTableProps {
  face: ChartFace;
  hrefOf: (slot: number | undefined, seriesId: string | undefined) => string | undefined;
}

export function UsageTable({ face, hrefOf }: UsageTableProps) {
  const { t } = useTranslation("dashboard");
  const { series } = face;
  const rows = slotsOf(face.slotted).map((slot, index) => ({
    slot,
    index,
    values: series.map(({ values }) => values[index] ?? 0),
  }));
  return (
    <div className={styles.tableScroll} role="region" tabIndex={0} aria-label={face.label}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t(`by.${face.slotted.granularity}`)}</th>
            {face.hasTotal && <th scope="col">{t("table.total")}</th>}
            {series.map((each) => (
              <th key={each.id} scope="col">
                <span className={styles.columnName}>
                  <Swatch color={each.color} />
                  <span className={`${styles.name} ${each.isCode ? "mono" : ""}`} title={each.name}>
                    <LogLink href={hrefOf(undefined, each.id)}>{each.name}</LogLink>
                  </span>
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map(({ slot, index, values }) => (
            <tr key={slot.id}>
              <th scope="row">
                <LogLink href={hrefOf(index, undefined)}>{slot.title}</LogLink>
              </th>
              <Cells values={values} face={face} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t(face.hasTotal ? "table.total" : "table.whole")}</th>
            <Cells values={series.map(({ total }) => total)} face={face} />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
