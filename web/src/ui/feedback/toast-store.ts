/** The list of open toasts: one per event, 3 s, errors until closed. Shown by toast.tsx. */
import { describeError } from "./empty.tsx";

export type ToastKind = "success" | "info" | "error";

export interface Toast {
  id: number;
  kind: ToastKind;
  title: string;
  text?: string | undefined;
  details?: string | undefined;
  requestId?: string | undefined;
}

/** A long work that reports progress and can be left or stopped. */
export interface Job {
  id: number;
  title: string;
  done: number;
  /** 0: not known, then only `done` is shown. */
  total: number;
  note?: string | undefined;
  stopLabel?: string | undefined;
  onStop?: (() => void) | undefined;
}

const SHOWN_MS = 3000;
const MOST = 4;

interface Shown {
  toasts: readonly Toast[];
  jobs: readonly Job[];
}

let shown: Shown = { toasts: [], jobs: [] };
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: Partial<Shown>): void {
  shown = { ...shown, ...next };
  for (const listener of listeners) listener();
}

export const shownToasts = (): Shown => shown;

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function closeToast(id: number): void {
  change({ toasts: shown.toasts.filter((toast) => toast.id !== id) });
}

function add(toast: Omit<Toast, "id">): void {
  lastId += 1;
  const id = lastId;
  // The same event twice is one toast, shown anew.
  const others = shown.toasts.filter((open) => open.title !== toast.title || open.text !== toast.text);
  change({ toasts: [...others, { ...toast, id }].slice(-MOST) });
  if (toast.kind !== "error") setTimeout(() => closeToast(id), SHOWN_MS);
}

/**
 * Tells what happened, bottom right.
 * @example toast.success(t("created"), key); toast.error(error, t("notSaved"));
 */
export const toast = {
  success: (title: string, text?: string): void => add({ kind: "success", title, text }),
  info: (title: string, text?: string): void => add({ kind: "info", title, text }),
  /** An error stays until closed, with 'copy details' and the request id. `title` says what did not happen. */
  error: (error: unknown, title?: string): void => {
    const { message, details, requestId } = describeError(error);
    add({
      kind: "error",
      title: title ?? message,
      text: title === undefined ? undefined : message,
      details,
      requestId,
    });
  },
};

/** Shows or updates the progress of a long work; `closeJob` takes it away. @returns the job's id */
export function showJob(job: Omit<Job, "id">, id?: number): number {
  if (id === undefined) lastId += 1;
  const jobId = id ?? lastId;
  const others = shown.jobs.filter((open) => open.id !== jobId);
  change({ jobs: [...others, { ...job, id: jobId }] });
  return jobId;
}

/** Whether a job's toast still shows: people may close it and leave the work running. */
export const isJobOpen = (id: number): boolean => shown.jobs.some((job) => job.id === id);

export function closeJob(id: number): void {
  change({ jobs: shown.jobs.filter((job) => job.id !== id) });
}
