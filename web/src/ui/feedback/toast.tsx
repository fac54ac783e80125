/** Draws the open toasts and long works of toast-store.ts, bottom right above the footer. */
import { IconAlertCircle, IconCircleCheck, IconInfoCircle, IconX } from "@tabler/icons-react";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { copyText } from "../lib/clipboard.ts";
import { formatNumber } from "../lib/format.ts";
import { visible } from "../lib/names.ts";
import { closeJob, closeToast, type Job, shownToasts, subscribeToToasts, type Toast } from "./toast-store.ts";
import styles from "./toast.module.css";

const ICONS = { success: IconCircleCheck, info: IconInfoCircle, error: IconAlertCircle } as const;

function CloseButton({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("ui");
  return (
    <button type="button" className={styles.close} aria-label={t("close")} onClick={onClose}>
      <IconX size={14} stroke={1.5} />
    </button>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  const { t } = useTranslation("ui");
  const Icon = ICONS[toast.kind];
  const { details } = toast;
  return (
    <div className={styles.toast} role={toast.kind === "error" ? "alert" : "status"}>
      <Icon size={16} stroke={1.5} className={styles.icon} data-kind={toast.kind} aria-hidden />
      <div className={styles.body}>
        <div className={styles.title}>{visible(toast.title)}</div>
        {toast.text && <div className={styles.text}>{visible(toast.text)}</div>}
        {toast.requestId && <div className={`${styles.text} ${styles.requestId} mono`}>{toast.requestId}</div>}
      </div>
      {details !== undefined && (
        <button type="button" className={styles.link} onClick={() => void copyText(details)}>
          {t("error.copyDetails")}
        </button>
      )}
      <CloseButton onClose={() => closeToast(toast.id)} />
    </div>
  );
}

function JobCard({ job }: { job: Job }) {
  const { t } = useTranslation("ui");
  const share = job.total === 0 ? 0 : job.done / job.total;
  return (
    <div className={`${styles.toast} ${styles.job}`} role="status">
      <div className={styles.row}>
        <span className={styles.title}>{visible(job.title)}</span>
        <span className={`${styles.text} number`}>
          {job.total === 0
            ? formatNumber(job.done)
            : t("progress", { done: formatNumber(job.done), total: formatNumber(job.total) })}
        </span>
        <CloseButton onClose={() => closeJob(job.id)} />
      </div>
      {job.total > 0 && (
        <div
          className={styles.track}
          role="progressbar"
          aria-label={job.title}
          aria-valuenow={job.done}
          aria-valuemax={job.total}
        >
          <div className={styles.fill} style={{ width: `${share * 100}%` }} />
        </div>
      )}
      {(job.note || job.onStop) && (
        <div className={styles.row}>
          <span className={`${styles.body} ${styles.text}`}>{job.note}</span>
          {job.onStop && (
            <button type="button" className={styles.link} onClick={job.onStop}>
              {job.stopLabel ?? t("stop")}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** All that is open; mounted by dialogs.tsx. */
export function Toasts() {
  const { toasts, jobs } = useSyncExternalStore(subscribeToToasts, shownToasts);
  return (
    <div className={styles.stack}>
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
      {jobs.map((job) => (
        <JobCard key={job.id} job={job} />
      ))}
    </div>
  );
}
