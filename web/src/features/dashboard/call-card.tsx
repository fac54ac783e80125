/** A table of failures and latency by model, channel and token, the worst first; each row leads to its failed calls. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import {
  type CallReport,
  type NamedFigures,
  TOKEN_LIST_SPAN_SECONDS,
} from "../../../../contract/src/features/dashboard.ts";
import type { CallTimes, CallFigures } from "../../../../contract/src/call-figures.ts";
import { formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { Segmented } from "../../ui/form/fields.tsx";
import stacked from "../../ui/display/stacked-rows.module.css";
import styles from "./call-card.module.css";
import page from "./dashboard.module.css";
import { ModelLink } from "../../ui/display/name.tsx";
import { LogLink, useLogUser } from "./log-link.tsx";
import { callsOf, errorRate, timeText, hasPercentiles } from "./model/call-series.ts";
import { failedCalls, type LogFilter, logHref } from "./model/log-link.ts";
import type { View, CallMeasure, ViewSearch } from "./model/view.ts";
import { tokenCallsQuery } from "./queries.ts";

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

/** Under the tiles, how calls went: what failed, and how long they took; each cell shows its chart. */
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

type Tab = "model" | "channel" | "token";

function useRowName(tab: Tab): (row: NamedFigures) => string {
  const { t } = useTranslation("dashboard");
  return ({ id, name }) => {
    if (name !== "") return visible(name);
    if (tab === "channel") return id === 0 ? t("payers.noChannel") : t("payers.goneChannel", { id });
    if (tab === "token") return id === 0 ? t("calls.playground") : t("payers.goneChannel", { id });
    return t("calls.noModel");
  };
}

/** "0.8 s / 2.4 s": half of the calls, and 95 % of them; or one average. */
const pairText = ({ average_ms, p50_ms, p95_ms }: CallTimes): [string, string | undefined] =>
  average_ms === null
    ? [timeText(p50_ms), p95_ms === null ? undefined : timeText(p95_ms)]
    : [timeText(average_ms), undefined];

function Times({ times, label }: { times: CallTimes; label: string }) {
  const [half, tail] = pairText(times);
  return (
    <td className={styles.times} data-label={label}>
      {half}
      {tail !== undefined && <span className={styles.tail}> / {tail}</span>}
    </td>
  );
}

interface RowsProps {
  tab: Tab;
  rows: readonly NamedFigures[];
  hasOwners: boolean;
  isAverage: boolean;
  hrefOf: (row: NamedFigures, type?: "failed") => string | undefined;
}

function Table({ tab, rows, hasOwners, isAverage, hrefOf }: RowsProps) {
  const { t } = useTranslation("dashboard");
  const nameOf = useRowName(tab);
  const unitText = t(isAverage ? "time.average" : "time.pair");
  const unit = <span className={styles.unit}>{unitText}</span>;
  return (
    <div className={styles.scroll} role="region" tabIndex={0} aria-label={t("calls.byLabel")}>
      <table className={`${styles.table} ${stacked.stacked}`}>
        <thead>
          <tr>
            <th scope="col">{t(`calls.by.${tab}`)}</th>
            {hasOwners && <th scope="col">{t("scope.user")}</th>}
            <th scope="col">{t("measure.requests")}</th>
            <th scope="col">{t("measure.errors")}</th>
            <th scope="col">{t("errors.rate")}</th>
            <th scope="col">
              {t("measure.first_token")} {unit}
            </th>
            <th scope="col">
              {t("measure.total_time")} {unit}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.id} ${row.name} ${row.username}`}>
              <th scope="row" className={tab === "model" ? "mono" : undefined}>
                {tab === "model" && row.name !== "" ? (
                  <ModelLink model={row.name} />
                ) : (
                  <LogLink href={hrefOf(row)}>{nameOf(row)}</LogLink>
                )}
              </th>
              {hasOwners && (
                <td className={styles.owner} data-label={t("scope.user")}>
                  {visible(row.username)}
                </td>
              )}
              <td data-label={t("measure.requests")}>
                <LogLink href={tab === "model" ? hrefOf(row) : undefined}>{formatNumber(callsOf(row.figures))}</LogLink>
              </td>
              <td data-is-bad={row.figures.failed > 0 || undefined} data-label={t("measure.errors")}>
                <LogLink href={row.figures.failed === 0 ? undefined : hrefOf(row, "failed")}>
                  {formatNumber(row.figures.failed)}
                </LogLink>
              </td>
              <td data-label={t("errors.rate")}>{errorRate(row.figures, 2)}</td>
              <Times times={row.figures.first_token} label={`${t("measure.first_token")} ${unitText}`} />
              <Times times={row.figures.total} label={`${t("measure.total_time")} ${unitText}`} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The log finds tokens by name: of two with one name it shows the calls of both. */
const isSameName = (one: NamedFigures, other: NamedFigures): boolean =>
  one.name === other.name && one.username === other.username;

/** All users' tokens are many rows: they are loaded when they are shown, for some days. */
function useTokens(report: CallReport, isAsked: boolean) {
  return useQuery(tokenCallsQuery(report, isAsked));
}

interface CallCardProps {
  view: View;
  report: CallReport;
}

export function CallCard({ view, report }: CallCardProps) {
  const { t } = useTranslation("dashboard");
  const isOfAll = !view.isOwn && view.username === undefined;
  const tabs: readonly Tab[] = isOfAll ? ["model", "channel", "token"] : ["token"];
  const [chosen, setTab] = useState<Tab>("model");
  const tab = isOfAll ? chosen : "token";
  const tokens = useTokens(report, isOfAll && tab === "token");
  const isLate = isOfAll && tab === "token";
  const lists = { model: report.models, channel: report.channels, token: isOfAll ? tokens.data : report.tokens };
  const rows = lists[tab];
  const username = useLogUser(view);
  const start = isLate ? Math.max(report.start, report.end + 1 - TOKEN_LIST_SPAN_SECONDS) : report.start;
  const hrefOf = (row: NamedFigures, type?: "failed") => {
    if (type === "failed" && failedCalls(row.figures.failures) === undefined) return undefined;
    if (tab === "token" && (rows ?? []).filter((each) => isSameName(each, row)).length > 1) return undefined;
    const filters: Record<Tab, Partial<LogFilter>> = {
      model: { model: row.name },
      channel: { channel: row.id },
      token: { token: row.name, username: isOfAll ? row.username : username },
    };
    return logHref({ start, end: report.end, username, type, ...filters[tab] });
  };
  const isCut = isLate && start > report.start;
  return (
    <section className={page.card} aria-labelledby="dashboard-calls-by">
      <header className={page.cardHead}>
        <h2 id="dashboard-calls-by" className={page.cardTitle}>
          {t("calls.byLabel")}
          {isCut && <span className={styles.note}>{t("calls.lastDays")}</span>}
        </h2>
        {tabs.length > 1 && (
          <Segmented
            label={t("calls.byLabel")}
            options={tabs.map((value) => ({ value, text: t(`calls.by.${value}`) }))}
            value={tab}
            onChange={setTab}
          />
        )}
      </header>
      {rows === undefined && tokens.error !== null && isLate ? (
        <ErrorState title={t("notLoaded")} error={tokens.error} onRetry={() => void tokens.refetch()} />
      ) : rows === undefined ? (
        <div className={styles.waiting} aria-busy />
      ) : rows.length === 0 ? (
        <p className={page.none}>{t("chart.nothing")}</p>
      ) : (
        <Table tab={tab} rows={rows} hasOwners={isLate} isAverage={!isOfAll} hrefOf={hrefOf} />
      )}
      {report.is_counting && <p className={page.footnote}>{t("calls.counting")}</p>}
    </section>
  );
}
