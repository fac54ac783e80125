/** Usage by model over time: stacked bars with their legend, or the same numbers as a table. */
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconTable, IconChartBar } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { GRANULARITIES } from "../../../../contract/src/features/dashboard.ts";
import { Legend, Swatch } from "../../ui/charts/bars.tsx";
import { StackedBars } from "../../ui/charts/stacked-bars.tsx";
import { Segmented } from "../../ui/fields.tsx";
import styles from "./dashboard.module.css";
import { areDatesShown, type ModelSeries, slotsOf } from "./fns/chart-data.ts";
import { axisUnit, isWholeAxis, readTogether, sharesOf, tickText } from "./fns/figures.ts";
import { MEASURES, type View, type ViewSearch } from "./fns/view.ts";
import type { Overview } from "./queries.ts";
import { UsageTable } from "./usage-table.tsx";

const HEIGHT = 254;
/** Narrower bars of an hour cannot be told apart. */
const SLOT_WIDTH_MIN = 6;
/** A label and the air beside it. */
const DATE_LABEL_WIDTH = 100;

interface SpendCardProps {
  view: View;
  overview: Overview;
  series: readonly ModelSeries[];
  isPhone: boolean;
  onChange: (change: ViewSearch) => void;
}

function ChartControls({ view, isPhone, onChange }: Pick<SpendCardProps, "view" | "isPhone" | "onChange">) {
  const { t } = useTranslation("dashboard");
  const toggle = t(view.isTable ? "chart.asChart" : "chart.asTable");
  const Icon = view.isTable ? IconChartBar : IconTable;
  const measure = (
    <Segmented
      label={t("measure.label")}
      options={MEASURES.map((value) => ({ value, text: t(`measure.${value}`) }))}
      value={view.measure}
      onChange={(show) => onChange({ show })}
    />
  );
  const granularity = (
    <Segmented
      label={t("by.label")}
      options={GRANULARITIES.map((value) => ({ value, text: t(`by.${value}`) }))}
      value={view.granularity}
      onChange={(by) => onChange({ by })}
    />
  );
  const asTable = (
    <Tooltip label={toggle}>
      <ActionIcon
        variant="subtle"
        size={isPhone ? 36 : 32}
        aria-label={toggle}
        aria-pressed={view.isTable}
        onClick={() => onChange({ as: view.isTable ? undefined : "table" })}
      >
        <Icon size={17} stroke={1.5} />
      </ActionIcon>
    </Tooltip>
  );
  return (
    <div className={styles.controls}>
      <div className={styles.measure}>{measure}</div>
      <div className={styles.granularity}>{granularity}</div>
      <div className={styles.toggle}>{asTable}</div>
    </div>
  );
}

function Chart({ view, overview, series }: Pick<SpendCardProps, "view" | "overview" | "series">) {
  const { t } = useTranslation("dashboard");
  const hasDates = areDatesShown(overview);
  return (
    <StackedBars
      label={t(`chart.label.${view.measure}`)}
      slots={slotsOf(overview)}
      series={series}
      read={(values) => readTogether(values, view.measure)}
      tick={(value, axis) => tickText(value, axis, view.measure)}
      per={axisUnit(view.measure)}
      isWhole={isWholeAxis(view.measure)}
      height={HEIGHT}
      slotWidthMin={SLOT_WIDTH_MIN}
      labelWidth={DATE_LABEL_WIDTH}
      isEachLabelShown={hasDates}
      nothing={<p className={styles.nothing}>{t("chart.nothing")}</p>}
    />
  );
}

/** On a phone the legend is a list with shares and amounts. */
function RankedLegend({ view, series }: Pick<SpendCardProps, "view" | "series">) {
  const { t } = useTranslation("dashboard");
  const totals = series.map(({ total }) => total);
  const { parts } = readTogether(totals, view.measure);
  const shares = sharesOf(totals);
  return (
    <ul className={styles.ranked} aria-label={t("chart.legend")}>
      {series.map((each, index) => (
        <li key={each.id}>
          <Swatch color={each.color} />
          <span className={`${styles.rankedName} mono`}>{each.name}</span>
          <span className={styles.rankedShare}>{shares[index]}</span>
          <span className={styles.rankedValue}>{parts[index]}</span>
        </li>
      ))}
    </ul>
  );
}

export function SpendCard({ view, overview, series, isPhone, onChange }: SpendCardProps) {
  const { t } = useTranslation("dashboard");
  return (
    <section className={`${styles.card} ${styles.chartCard}`} aria-labelledby="dashboard-chart">
      <header className={styles.cardHead}>
        <h2 id="dashboard-chart" className={styles.cardTitle}>
          {t(`chart.title.${view.measure}`)}
        </h2>
        <ChartControls view={view} isPhone={isPhone} onChange={onChange} />
      </header>
      {view.isTable ? (
        <UsageTable overview={overview} series={series} measure={view.measure} />
      ) : (
        <Chart view={view} overview={overview} series={series} />
      )}
      {isPhone ? (
        <RankedLegend view={view} series={series} />
      ) : (
        !view.isTable && (
          <div className={styles.legend}>
            <Legend entries={series} label={t("chart.legend")} />
          </div>
        )
      )}
      {overview.minutes_past_hour > 0 && overview.granularity !== "hour" && (
        <p className={styles.footnote}>{t("chart.hourEdge", { minutes: overview.minutes_past_hour })}</p>
      )}
    </section>
  );
}
