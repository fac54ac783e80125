/** What a dry run found: the sums, what cannot be told exactly, and each model, user and group. */
import { IconDownload } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { DryRunResult, DryRunSums } from "../../../../../contract/src/pricing/dry-run.ts";
import { saveFile } from "../../../lib/download.ts";
import { formatDate, formatNumber } from "../../../lib/format.ts";
import { Quota } from "../../../ui/display/quota.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import { PlainButton } from "../../../ui/plain.tsx";
import { csvOf } from "./csv.ts";
import { Difference, Share } from "./difference.tsx";
import styles from "./dry-run.module.css";
import { ResultTable } from "./result-table.tsx";

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

function Totals({ totals }: { totals: DryRunSums }) {
  const { t } = useTranslation("prices");
  return (
    <dl className={styles.totals}>
      <Figure label={t("dryRun.calls")}>{formatNumber(totals.calls)}</Figure>
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

export function Result({ days, result }: { days: number; result: DryRunResult }) {
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
      <Totals totals={result.totals} />
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
