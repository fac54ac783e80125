/** What every dry run shows, whatever its draft: the days, the progress, and the result. */
import { IconDownload } from "@tabler/icons-react";
import { type ReactNode, useState, useMemo } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { formatNumber, formatDate, formatDecimals } from "../../../lib/format.ts";
import { useStore } from "../../../lib/store.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import { PlainButton } from "../../../ui/plain.tsx";
import styles from "./dry-run.module.css";
import type { DryRun } from "./dry-run-store.ts";
import type { Progress } from "./run.ts";
import { RunningOut } from "./running-out.tsx";
import type { DryRunResult, DryRunSums } from "../../../../../contract/src/pricing/dry-run.ts";
import { saveFile } from "../../../lib/download.ts";
import { Quota } from "../../../ui/display/quota.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { csvOf } from "./csv.ts";
import { Tag } from "../../../ui/display/tags.tsx";
import { directionOf, SortButton } from "../../../ui/sort-button.tsx";

const toneOf = (difference: number): "dearer" | "cheaper" | undefined => {
  if (difference === 0) return undefined;
  return difference > 0 ? "dearer" : "cheaper";
};

const differenceOf = ({ old, new: draft }: DryRunSums): number => draft - old;

/** How much more or less a draft charges: amber for dearer, green for cheaper. */
function Difference({ sums }: { sums: DryRunSums }) {
  const { t } = useTranslation("prices");
  const difference = differenceOf(sums);
  if (difference === 0) return <span className={styles.same}>{t("dryRun.same")}</span>;
  return (
    <span className={styles.difference} data-tone={toneOf(difference)}>
      {difference > 0 && "+"}
      <Quota quota={difference} />
    </span>
  );
}

const PERCENT = 100;

/** The difference by what today's prices charge; nothing where that is nothing. */
function Share({ sums }: { sums: DryRunSums }) {
  const difference = differenceOf(sums);
  if (sums.old === 0 || difference === 0) return null;
  const percent = (difference / sums.old) * PERCENT;
  const sign = percent > 0 ? "+" : "−";
  return (
    <span className={styles.share}>
      {sign}
      {formatDecimals(Math.abs(percent), Math.abs(percent) < PERCENT ? 1 : 0)}%
    </span>
  );
}

/** The size of a difference beside the largest of its list. */
function DifferenceBar({ sums, largest }: { sums: DryRunSums; largest: number }) {
  const difference = differenceOf(sums);
  const share = largest === 0 ? 0 : Math.abs(difference) / largest;
  return (
    <span className={styles.barTrack} aria-hidden>
      <span className={styles.bar} data-tone={toneOf(difference)} style={{ width: `${share * PERCENT}%` }} />
    </span>
  );
}

interface Row extends DryRunSums {
  key: string;
  name: string;
  isUnpriced?: boolean;
  /** The rest of the list, always the last row. */
  isRest?: boolean;
}

const COLUMNS = ["name", "calls", "charged", "draft", "difference"] as const;
type ColumnName = (typeof COLUMNS)[number];
interface Sort {
  by: ColumnName;
  isDescending: boolean;
}

const byName = new Intl.Collator(undefined, { numeric: true });

const ORDERS: Readonly<Record<ColumnName, (a: Row, b: Row) => number>> = {
  name: (a, b) => byName.compare(a.name, b.name),
  calls: (a, b) => a.calls - b.calls,
  charged: (a, b) => a.old - b.old,
  draft: (a, b) => a.new - b.new,
  difference: (a, b) => Math.abs(differenceOf(a)) - Math.abs(differenceOf(b)),
};

function useRows(list: "models" | "users" | "groups", result: DryRunResult): readonly Row[] {
  const { t } = useTranslation("prices");
  return useMemo(() => {
    const rest = result.others[list];
    const rows: Record<typeof list, () => Row[]> = {
      models: () => result.models.map((each) => ({ key: each.name, isUnpriced: each.is_unpriced, ...each })),
      groups: () => result.groups.map((each) => ({ key: each.name, ...each })),
      users: () =>
        result.users.map(({ id, ...each }) => ({
          key: String(id),
          ...each,
          name: each.name || t("dryRun.gone", { id }),
        })),
    };
    return [
      ...rows[list](),
      ...(rest === undefined ? [] : [{ key: "", name: t("dryRun.others"), isRest: true, ...rest }]),
    ];
  }, [list, result, t]);
}

/** Pages would need an address of their own; so many rows more come on demand. */
const ROWS_AT_ONCE = 50;

function Head({ list, sort, onSort }: { list: string; sort: Sort; onSort: (sort: Sort) => void }) {
  const { t } = useTranslation("prices");
  const directionBy = (by: ColumnName) => (sort.by === by ? directionOf(sort.isDescending) : undefined);
  return (
    <thead>
      <tr>
        {COLUMNS.map((by) => (
          <th key={by} scope="col" data-column={by} aria-sort={directionBy(by)}>
            <SortButton
              direction={directionBy(by)}
              onClick={() => onSort({ by, isDescending: sort.by === by ? !sort.isDescending : by !== "name" })}
            >
              {by === "name" ? t(`dryRun.one.${list}`) : t(`dryRun.${by}`)}
            </SortButton>
          </th>
        ))}
      </tr>
    </thead>
  );
}

function TableRow({ row, largest }: { row: Row; largest: number }) {
  const { t } = useTranslation("prices");
  return (
    <tr data-is-rest={row.isRest}>
      <th scope="row" data-column="name">
        <span className={styles.name}>{row.name}</span>
        {row.isUnpriced === true && <Tag tone="amber">{t("dryRun.unpriced")}</Tag>}
      </th>
      <td data-column="calls" data-label={t("dryRun.calls")}>
        {formatNumber(row.calls)}
      </td>
      <td data-column="charged" data-label={t("dryRun.charged")}>
        <Quota quota={row.old} />
      </td>
      <td data-column="draft" data-label={t("dryRun.draft")}>
        <Quota quota={row.new} />
      </td>
      <td data-column="difference">
        <Difference sums={row} /> <Share sums={row} />
        <DifferenceBar sums={row} largest={largest} />
      </td>
    </tr>
  );
}

/** Models, users or groups of a dry run in a table that any of its columns sorts. */
function ResultTable({ list, result }: { list: "models" | "users" | "groups"; result: DryRunResult }) {
  const { t } = useTranslation("prices");
  const rows = useRows(list, result);
  const [sort, setSort] = useState<Sort>({ by: "difference", isDescending: true });
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const sorted = useMemo(() => {
    const order = (a: Row, b: Row) => (sort.isDescending ? -1 : 1) * ORDERS[sort.by](a, b);
    const named = rows.filter(({ isRest }) => isRest !== true).toSorted(order);
    return [...named, ...rows.filter(({ isRest }) => isRest === true)];
  }, [rows, sort]);
  const largest = Math.max(...rows.map((row) => Math.abs(differenceOf(row))));
  const left = sorted.length - most;
  return (
    <>
      <table className={styles.table} aria-label={t(`dryRun.list.${list}`)}>
        <Head list={list} sort={sort} onSort={setSort} />
        <tbody>
          {sorted.slice(0, most).map((row) => (
            <TableRow key={row.key} row={row} largest={largest} />
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <PlainButton className={styles.more} onClick={() => setMost(most + ROWS_AT_ONCE)}>
          {t("dryRun.more", { count: Math.min(left, ROWS_AT_ONCE), left: formatNumber(left) })}
        </PlainButton>
      )}
    </>
  );
}

const LISTS = ["models", "users", "groups"] as const;
type List = (typeof LISTS)[number];

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.figure}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Totals({ totals, charged }: Pick<DryRunResult, "totals" | "charged">) {
  const { t } = useTranslation("prices");
  return (
    <dl className={styles.totals}>
      <Figure label={t("dryRun.calls")}>{formatNumber(totals.calls)}</Figure>
      {charged !== totals.old && (
        <Figure label={t("dryRun.chargedThen")}>
          <Quota quota={charged} />
        </Figure>
      )}
      <Figure label={t("dryRun.charged")}>
        <Quota quota={totals.old} />
      </Figure>
      <Figure label={t("dryRun.draft")}>
        <Quota quota={totals.new} />
      </Figure>
      <Figure label={t("dryRun.difference")}>
        <Difference sums={totals} /> <Share sums={totals} />
      </Figure>
    </dl>
  );
}

function Notes({ result: { notes, free_calls: free } }: { result: DryRunResult }) {
  const { t } = useTranslation("prices");
  return (
    <div className={styles.notes}>
      {notes.map(({ code, calls, latest }) => (
        <Notice key={code} tone="blue">
          {t(`dryRun.note.${code}`, { count: calls, calls: formatNumber(calls), date: formatDate(latest) })}
        </Notice>
      ))}
      {free > 0 && <p className={styles.faint}>{t("dryRun.free", { count: free, calls: formatNumber(free) })}</p>}
    </div>
  );
}

const save = (result: DryRunResult): void => {
  const day = new Date(result.to * 1000).toISOString().slice(0, 10);
  saveFile(new Blob([csvOf(result)], { type: "text/csv;charset=utf-8" }), `dry-run-${day}.csv`);
};

/** The result of a dry run: the sums, what is only an estimate, and each model, user and group. */
function Result({ days, result }: { days: number; result: DryRunResult }) {
  const { t } = useTranslation("prices");
  const [list, setList] = useState<List>("models");
  if (result.totals.calls === 0)
    return (
      <div className={styles.nothing} role="status">
        <h3 className={styles.heading}>{t("dryRun.emptyTitle", { count: days })}</h3>
        <p className={styles.faint}>{t("dryRun.emptyText")}</p>
      </div>
    );
  return (
    <section className={styles.result} aria-label={t("dryRun.result")}>
      <p className={styles.faint} role="status">
        {t("dryRun.range", { count: days, from: formatDate(result.from), to: formatDate(result.to) })}
      </p>
      <Totals totals={result.totals} charged={result.charged} />
      <RunningOut found={result.running_out} />
      <Notes result={result} />
      <div className={styles.tools}>
        <Segmented
          label={t("dryRun.by")}
          options={LISTS.map((value) => ({ value, text: t(`dryRun.list.${value}`) }))}
          value={list}
          onChange={setList}
        />
        <PlainButton onClick={() => save(result)}>
          <IconDownload size={15} stroke={1.5} aria-hidden />
          {t("dryRun.csv")}
        </PlainButton>
      </div>
      <ResultTable key={list} list={list} result={result} />
    </section>
  );
}

const DAYS = [1, 7, 30, 90] as const;

export function DaysChoice({ days, onChange }: { days: number; onChange: (days: number) => void }) {
  const { t } = useTranslation("prices");
  return (
    <Segmented
      label={t("dryRun.days")}
      options={DAYS.map((each) => ({ value: String(each), text: t("dryRun.lastDays", { count: each }) }))}
      value={String(days)}
      onChange={(value) => onChange(Number(value))}
    />
  );
}

function Running({ progress: { done, total }, onCancel }: { progress: Progress; onCancel: () => void }) {
  const { t } = useTranslation("prices");
  const share = total === 0 ? 0 : done / total;
  const text =
    total === 0 ? t("dryRun.counting") : t("dryRun.progress", { done: formatNumber(done), total: formatNumber(total) });
  return (
    <div className={styles.running}>
      <div className={styles.runningRow}>
        <span role="status">{text}</span>
        <PlainButton onClick={onCancel}>{t("dryRun.cancel")}</PlainButton>
      </div>
      <div
        className={styles.track}
        role="progressbar"
        aria-label={t("dryRun.running")}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <span className={styles.fill} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}

interface OutcomeProps {
  dryRun: DryRun;
  /** Starts the same run again. */
  retry: () => void;
  /** Takes the focus, whose button is gone then. */
  onCancelled: () => void;
}

/** Nothing before the first run. */
export function Outcome({ dryRun, retry, onCancelled }: OutcomeProps) {
  const { t } = useTranslation("prices");
  const state = useStore(dryRun.state);
  if (state.stage === "idle") return null;
  const cancel = () => {
    dryRun.cancel();
    onCancelled();
  };
  if (state.stage === "running") return <Running progress={state.progress} onCancel={cancel} />;
  if (state.stage === "failed") return <ErrorState title={t("dryRun.failed")} error={state.error} onRetry={retry} />;
  return <Result days={state.days} result={state.result} />;
}
