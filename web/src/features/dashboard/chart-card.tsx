/** The chart over time: usage by model, failures by kind or times, with its legend, or the same numbers as a table. */
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconTable, IconChartBar } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { GRANULARITIES } from "../../../../contract/src/features/dashboard.ts";
import { Swatch } from "../../ui/charts/bars.tsx";
import { Legend } from "../../ui/charts/legend.tsx";
import { type Hidden, NONE_HIDDEN } from "../../ui/charts/series-choice.ts";
import { StackedBars } from "../../ui/charts/stacked-bars.tsx";
import stacked from "../../ui/display/stacked-rows.module.css";
import { Segmented } from "../../ui/form/fields.tsx";
import type { ChartFace } from "./chart-face.ts";
import styles from "./dashboard.module.css";
import tableStyles from "./usage-table.module.css";
import { LogArrow, LogLink, useLogUser, useOpen } from "./log-link.tsx";
import { areDatesShown, slotsOf } from "./model/chart-data.ts";
import { logHref } from "./model/log-link.ts";
import { CALL_MEASURES, MEASURES, type View, type ViewSearch } from "./model/view.ts";

function Cells({ values, face }: { values: readonly number[]; face: ChartFace }) {
  const { t } = useTranslation("dashboard");
  const { parts, total } = face.readRows(values);
  return (
    <>
      {face.hasTotal && (
        <td className={tableStyles.sum} data-label={t("table.total")}>
          {total}
        </td>
      )}
      {parts.map((part, index) => (
        // Columns never change places while a row is shown.
        <td
          key={index}
          className={values[index] === 0 ? tableStyles.zero : undefined}
          data-label={face.series[index]?.name}
        >
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

/** The chart's numbers as a table: a row a bucket, newest first, a column a series, sums at the end; each row leads to its calls. */
function UsageTable({ face, hrefOf }: UsageTableProps) {
  const { t } = useTranslation("dashboard");
  const { series } = face;
  const rows = slotsOf(face.slotted).map((slot, index) => ({
    slot,
    index,
    values: series.map(({ values }) => values[index] ?? 0),
  }));
  return (
    <div className={tableStyles.tableScroll} role="region" tabIndex={0} aria-label={face.label}>
      <table className={`${tableStyles.table} ${stacked.stacked}`}>
        <thead>
          <tr>
            <th scope="col">{t(`by.${face.slotted.granularity}`)}</th>
            {face.hasTotal && <th scope="col">{t("table.total")}</th>}
            {series.map((each) => (
              <th key={each.id} scope="col">
                <span className={tableStyles.columnName}>
                  <Swatch color={each.color} />
                  <span className={`${tableStyles.name} ${each.isCode ? "mono" : ""}`} title={each.name}>
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

const HEIGHT = 166;
/** Narrower bars of an hour cannot be distinguished. */
const SLOT_WIDTH_MIN = 6;
/** A label and the air beside it. */
const DATE_LABEL_WIDTH = 100;

interface ControlsProps {
  view: View;
  isPhone: boolean;
  onChange: (change: ViewSearch) => void;
}

function ChartControls({ view, isPhone, onChange }: ControlsProps) {
  const { t } = useTranslation("dashboard");
  const toggle = t(view.isTable ? "chart.asChart" : "chart.asTable");
  const Icon = view.isTable ? IconChartBar : IconTable;
  return (
    <div className={styles.controls}>
      <div className={styles.measure}>
        <Segmented
          label={t("measure.label")}
          options={[...MEASURES, ...CALL_MEASURES].map((value) => ({ value, text: t(`measure.${value}`) }))}
          value={view.callMeasure ?? view.measure}
          onChange={(show) => onChange({ show })}
        />
      </div>
      <div className={styles.granularity}>
        <Segmented
          label={t("by.label")}
          options={GRANULARITIES.map((value) => ({ value, text: t(`by.${value}`) }))}
          value={view.granularity}
          onChange={(by) => onChange({ by })}
        />
      </div>
      <div className={styles.toggle}>
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
      </div>
    </div>
  );
}

interface ChartProps {
  face: ChartFace;
  hidden: Hidden;
  active: string | undefined;
  hrefOf: (slot: number | undefined, seriesId: string | undefined) => string | undefined;
}

type OnSight = (sight: { first: number; last: number } | undefined) => void;

/** Says which part of the range a chart that scrolls has in sight. */
function useSightText({ slotted }: ChartFace) {
  const { t } = useTranslation("dashboard");
  const [sight, setSight] = useState<{ first: number; last: number }>();
  const onSight = useCallback((next: { first: number; last: number } | undefined) => setSight(next), []);
  const slots = slotsOf(slotted);
  const from = sight === undefined ? undefined : slots[sight.first]?.title;
  const to = sight === undefined ? undefined : slots[sight.last]?.title;
  return { onSight, text: from === undefined || to === undefined ? undefined : t("chart.sight", { from, to }) };
}

function Chart({ face, hidden, active, hrefOf, onSight }: ChartProps & { onSight: OnSight }) {
  const { t } = useTranslation("dashboard");
  const open = useOpen();
  const visible = face.series.filter(({ id }) => !hidden.has(id));
  return (
    <StackedBars
      label={face.label}
      slots={slotsOf(face.slotted)}
      series={visible}
      read={face.read}
      tick={face.tick}
      per={face.per}
      isWhole={face.isWhole}
      height={HEIGHT}
      slotWidthMin={SLOT_WIDTH_MIN}
      labelWidth={DATE_LABEL_WIDTH}
      isEachLabelShown={areDatesShown(face.slotted)}
      active={active !== undefined && hidden.has(active) ? undefined : active}
      // A whole earlier period beside a part of this one cannot be compared.
      ghost={hidden.size === 0 ? face.ghost : undefined}
      hrefOf={hrefOf}
      onOpen={open}
      onSight={onSight}
      nothing={<p className={styles.nothing}>{t("chart.nothing")}</p>}
    />
  );
}

/** On a phone the legend is a list with shares and amounts. */
function RankedLegend({ face, hrefOf }: Pick<ChartProps, "face" | "hrefOf">) {
  const { series, shares } = face;
  const { parts } = face.read(series.map(({ total }) => total));
  return (
    <ul className={styles.ranked} aria-label={face.legend}>
      {series.map((each, index) => (
        <li key={each.id}>
          <Swatch color={each.color} />
          <span className={`${styles.rankedName} ${each.isCode ? "mono" : ""}`}>
            <LogLink href={hrefOf(undefined, each.id)}>{each.name}</LogLink>
          </span>
          <span className={styles.rankedShare}>{shares[index]}</span>
          <span className={styles.rankedValue}>{parts[index]}</span>
        </li>
      ))}
    </ul>
  );
}

function WideLegend({
  face,
  hidden,
  hrefOf,
  onHidden,
  onPoint,
}: Omit<ChartProps, "active"> & {
  onHidden: (hidden: Hidden) => void;
  onPoint: (id: string | undefined) => void;
}) {
  const { t } = useTranslation("dashboard");
  return (
    <div className={styles.legend}>
      <Legend
        entries={face.series}
        label={face.legend}
        hint={t("chart.hint")}
        hidden={hidden}
        onHidden={onHidden}
        onPoint={onPoint}
        linkOf={({ id, name }) => <LogArrow href={hrefOf(undefined, id)} name={name} />}
      />
    </div>
  );
}

/** What the dashed bars are, where there are any: beside the title, since the legend may be longer than its place. */
const GhostKey = ({ face: { ghost } }: { face: ChartFace }) =>
  ghost !== undefined && (
    <span className={styles.ghostKey}>
      <i aria-hidden /> {ghost.name}
    </span>
  );

interface ChartCardProps extends ControlsProps {
  face: ChartFace;
  /** 30 or 45 where days begin inside an hour of UTC. */
  minutesPastHour: number;
}

export function ChartCard({ view, face, isPhone, minutesPastHour, onChange }: ChartCardProps) {
  const { t } = useTranslation("dashboard");
  const [hidden, setHidden] = useState<Hidden>(NONE_HIDDEN);
  const [active, setActive] = useState<string>();
  const sight = useSightText(face);
  const username = useLogUser(view);
  const hrefOf = (slot: number | undefined, seriesId: string | undefined) => {
    const filter = face.filterOf(slot, seriesId);
    return filter && logHref({ ...filter, username });
  };
  return (
    <section className={`${styles.card} ${styles.chartCard}`} aria-labelledby="dashboard-chart">
      <header className={styles.cardHead}>
        <h2 id="dashboard-chart" className={styles.cardTitle}>
          {face.title}
          {sight.text !== undefined && !view.isTable && <span className={styles.sight}>{sight.text}</span>}
        </h2>
        {hidden.size === 0 && !isPhone && !view.isTable && <GhostKey face={face} />}
        <ChartControls view={view} isPhone={isPhone} onChange={onChange} />
      </header>
      {view.isTable ? (
        <UsageTable face={face} hrefOf={hrefOf} />
      ) : (
        <Chart face={face} hidden={hidden} active={active} hrefOf={hrefOf} onSight={sight.onSight} />
      )}
      {isPhone ? (
        <RankedLegend face={face} hrefOf={hrefOf} />
      ) : (
        !view.isTable && (
          <WideLegend face={face} hidden={hidden} hrefOf={hrefOf} onHidden={setHidden} onPoint={setActive} />
        )
      )}
      {minutesPastHour > 0 && view.granularity !== "hour" && (
        <p className={styles.footnote}>{t("chart.hourEdge", { minutes: minutesPastHour })}</p>
      )}
    </section>
  );
}
