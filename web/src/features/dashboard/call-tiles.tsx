/** Under the tiles, how calls went: what failed, and how long they took; each cell shows its chart. */
import { useTranslation } from "react-i18next";
import type { CallReport } from "../../../../contract/src/features/dashboard.ts";
import type { CallFigures, CallTimes } from "../../../../contract/src/call-figures.ts";
import { formatNumber } from "../../lib/format.ts";
import styles from "./call-tiles.module.css";
import { callsOf, errorRate, hasPercentiles, timeText } from "./model/call-series.ts";
import type { CallMeasure, ViewSearch } from "./model/view.ts";

interface CellProps {
  measure: CallMeasure;
  isShown: boolean;
  onChange: (change: ViewSearch) => void;
  value: string;
  under: string;
}

function Cell({ measure, isShown, onChange, value, under }: CellProps) {
  const { t } = useTranslation("dashboard");
  return (
    <button
      type="button"
      className={styles.cell}
      aria-pressed={isShown}
      onClick={() => onChange({ show: isShown ? undefined : measure })}
    >
      <span className={styles.label}>{t(`measure.${measure}`)}</span>
      <b className={styles.value}>{value}</b>
      <span className={styles.under}>{under}</span>
    </button>
  );
}

/** "1.2 % before", where there is a whole range to compare with and something went wrong in either. */
function useErrorWords(totals: CallFigures, previous: CallFigures | null): string {
  const { t } = useTranslation("dashboard");
  const count = t("errors.count", { count: totals.failed, formatted: formatNumber(totals.failed) });
  if (callsOf(totals) === 0) return t("tile.noCalls");
  if (previous === null || callsOf(previous) === 0) return count;
  return `${count}${t("comma")}${t("errors.before", { rate: errorRate(previous) })}`;
}

interface CallTilesProps {
  /** Undefined before the first answer, null where there is none. */
  report: CallReport | undefined | null;
  callMeasure: CallMeasure | undefined;
  onChange: (change: ViewSearch) => void;
}

function Cells({ report, callMeasure, onChange }: CallTilesProps & { report: CallReport }) {
  const { t } = useTranslation("dashboard");
  const { totals, previous } = report;
  const errors = useErrorWords(totals, previous);
  const words = (times: CallTimes): { value: string; under: string } =>
    times.count === 0
      ? { value: "–", under: t("time.none") }
      : hasPercentiles(times)
        ? { value: timeText(times.p50_ms), under: t("time.tail", { time: timeText(times.p95_ms) }) }
        : { value: timeText(times.average_ms), under: t("time.average") };
  const shared = { onChange };
  return (
    <>
      <Cell {...shared} measure="errors" isShown={callMeasure === "errors"} value={errorRate(totals)} under={errors} />
      <Cell {...shared} measure="first_token" isShown={callMeasure === "first_token"} {...words(totals.first_token)} />
      <Cell {...shared} measure="total_time" isShown={callMeasure === "total_time"} {...words(totals.total)} />
    </>
  );
}

export function CallTiles(props: CallTilesProps) {
  const { t } = useTranslation("dashboard");
  const { report } = props;
  return (
    <div className={styles.cells} role="group" aria-label={t("errors.group")}>
      {report === null || report === undefined ? (
        (["errors", "first_token", "total_time"] as const).map((measure) => (
          <div key={measure} className={styles.cell} data-is-waiting>
            <span className={styles.label}>{t(`measure.${measure}`)}</span>
            <b className={styles.value}>{report === null ? "–" : <span className={styles.bone} />}</b>
            <span className={styles.under}>{report === null ? t("errors.notLoaded") : ""}</span>
          </div>
        ))
      ) : (
        <Cells {...props} report={report} />
      )}
    </div>
  );
}
