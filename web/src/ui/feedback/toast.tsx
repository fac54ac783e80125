/** Renders the open toasts and jobs of toast-store.ts: in the open form, else at the bottom right above the footer. */
import { IconAlertCircle, IconCircleCheck, IconInfoCircle, IconX } from "@tabler/icons-react";
import { type FocusEvent, useEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "../../lib/i18n.ts";
import { copyText } from "../../lib/clipboard.ts";
import { formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useStore } from "../../lib/store.ts";
import {
  closeJob,
  closeToast,
  holdToasts,
  type Job,
  shownToasts,
  type Toast,
  type ToastAction,
} from "./toast-store.ts";
import styles from "./toast.module.css";

const ICONS = { success: IconCircleCheck, info: IconInfoCircle, error: IconAlertCircle } as const;

function CloseButton({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("ui");
  return (
    <button type="button" className={styles.close} aria-label={t("dismiss")} onClick={onClose}>
      <IconX size={14} stroke={1.5} />
    </button>
  );
}

function ActionButton({ action, onDone }: { action: ToastAction; onDone: () => void }) {
  const press = () => {
    onDone();
    action.onClick();
  };
  return (
    <button type="button" className={styles.link} onClick={press}>
      {visible(action.label)}
    </button>
  );
}

function RequestId({ id }: { id: string }) {
  const { t } = useTranslation("ui");
  return (
    <div className={`${styles.text} ${styles.requestId}`}>
      {t("error.requestId")} <span className="mono">{id}</span>
    </div>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  const { t } = useTranslation("ui");
  const Icon = ICONS[toast.kind];
  const { details, action } = toast;
  const close = () => closeToast(toast.id);
  return (
    <div className={styles.toast} data-kind={toast.kind} role={toast.kind === "error" ? "alert" : "status"}>
      <Icon size={16} stroke={1.5} className={styles.icon} data-kind={toast.kind} aria-hidden />
      <div className={styles.body}>
        <div className={styles.title}>{visible(toast.title)}</div>
        {toast.text && <div className={styles.text}>{visible(toast.text)}</div>}
        {toast.requestId && <RequestId id={toast.requestId} />}
        {(action !== undefined || details !== undefined) && (
          <div className={styles.acts}>
            {action && <ActionButton action={action} onDone={close} />}
            {details !== undefined && (
              <button type="button" className={styles.link} onClick={() => void copyText(details)}>
                {t("error.copyDetails")}
              </button>
            )}
          </div>
        )}
      </div>
      <CloseButton onClose={close} />
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
              {t("stop")}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** Remembers where the focus came from, so that closing a toast returns it there instead of to the top of the page. */
function useWayBack(count: number) {
  const cameFrom = useRef<HTMLElement>(undefined);
  const isInside = useRef(false);
  // Also runs when the last toast closes and this component unmounts.
  useEffect(
    () => () => {
      if (!isInside.current || document.activeElement !== document.body) return;
      isInside.current = false;
      cameFrom.current?.focus({ preventScroll: true });
      holdToasts(false);
    },
    [count],
  );
  return {
    onFocus: ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
      isInside.current = true;
      if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget))
        cameFrom.current = relatedTarget;
      holdToasts(true);
    },
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
      // Without a next element the focused one was removed; the effect handles that.
      if (relatedTarget === null || currentTarget.contains(relatedTarget)) return;
      isInside.current = false;
      holdToasts(false);
    },
  };
}

interface StackProps {
  toasts: readonly Toast[];
  jobs: readonly Job[];
  isInForm: boolean;
  wayBack: ReturnType<typeof useWayBack>;
}

function Stack({ toasts, jobs, isInForm, wayBack }: StackProps) {
  const { t } = useTranslation("ui");
  if (toasts.length + jobs.length === 0) return null;
  return (
    <section
      className={styles.stack}
      data-in-place={isInForm || undefined}
      aria-label={t("toasts")}
      // Not the mouse's events: after a tap they leave the mouse where the finger was, and the toasts there for good.
      onPointerEnter={() => holdToasts(true)}
      onPointerLeave={() => holdToasts(false)}
      {...wayBack}
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
      {jobs.map((job) => (
        <JobCard key={job.id} job={job} />
      ))}
    </section>
  );
}

/** All open toasts and jobs, those of the open form in it; mounted by dialogs.tsx. */
export function Toasts() {
  const { toasts, jobs, place } = useStore(shownToasts);
  const wayBack = useWayBack(toasts.length + jobs.length);
  useEffect(() => () => holdToasts(false), []);
  const takesAll = place?.takesAll === true;
  const isOfForm = (toast: Toast) => place !== undefined && (takesAll || toast.place === place.element);
  const [ofForm, ofPage] = [toasts.filter(isOfForm), toasts.filter((toast) => !isOfForm(toast))];
  const inForm = <Stack toasts={ofForm} jobs={takesAll ? jobs : []} isInForm wayBack={wayBack} />;
  return (
    <>
      <Stack toasts={ofPage} jobs={takesAll ? [] : jobs} isInForm={false} wayBack={wayBack} />
      {place && createPortal(inForm, place.element)}
    </>
  );
}
