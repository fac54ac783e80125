/** What every dry run has, whoever drew up its draft: the days, how far it is, and how it ended. */
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../lib/format.ts";
import { useStore } from "../../../lib/store.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import { PlainButton } from "../../../ui/plain.tsx";
import styles from "./dry-run.module.css";
import type { DryRun } from "./dry-run-store.ts";
import { Result } from "./result.tsx";
import type { Progress } from "./run.ts";

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
