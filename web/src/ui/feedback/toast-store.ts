/** The open toasts, one per event. They close after 3 s unless somebody is reading; errors and sticky ones stay. Shown by toast.tsx. */
import { describeError } from "./describe-error.ts";

export type ToastKind = "success" | "info" | "error";

/** An action that a toast offers; pressing it closes the toast. */
export interface ToastAction {
  label: string;
  onClick: () => void;
}

export interface ToastOptions {
  text?: string | undefined;
  /** Stays until it is closed, as errors do. */
  sticky?: boolean | undefined;
  action?: ToastAction | undefined;
}

export interface Toast {
  id: number;
  kind: ToastKind;
  title: string;
  text?: string | undefined;
  details?: string | undefined;
  requestId?: string | undefined;
  action?: ToastAction | undefined;
  /** Neither a timeout nor other toasts close it. */
  isKept: boolean;
}

/** A long-running job with progress, which can be dismissed or stopped. */
export interface Job {
  id: number;
  title: string;
  done: number;
  /** 0 where it is unknown; then only `done` is shown. */
  total: number;
  note?: string | undefined;
  onStop?: (() => void) | undefined;
}

const SHOWN_MS = 3000;
/** Remaining time of a toast after hover or focus has left it. */
const AFTER_READING_MS = 1500;
const MOST = 4;

interface Shown {
  toasts: readonly Toast[];
  jobs: readonly Job[];
}

let shown: Shown = { toasts: [], jobs: [] };
let lastId = 0;
let isHeld = false;
const listeners = new Set<() => void>();
const timers = new Map<number, ReturnType<typeof setTimeout>>();

function change(next: Partial<Shown>): void {
  shown = { ...shown, ...next };
  for (const listener of listeners) listener();
}

export const shownToasts = (): Shown => shown;

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function stopTimer(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

export function closeToast(id: number): void {
  stopTimer(id);
  change({ toasts: shown.toasts.filter((toast) => toast.id !== id) });
}

function closeLater(id: number, delayMs: number): void {
  stopTimer(id);
  timers.set(
    id,
    setTimeout(() => closeToast(id), delayMs),
  );
}

/** Pauses the timeouts while the pointer or the keyboard focus is on the toasts. */
export function holdToasts(isRead: boolean): void {
  if (isHeld === isRead) return;
  isHeld = isRead;
  for (const { id, isKept } of shown.toasts) {
    if (isKept) continue;
    if (isRead) stopTimer(id);
    else closeLater(id, AFTER_READING_MS);
  }
}

/** Makes room for the newest toast: closes the oldest ones that would time out anyway, but never an error. */
function withRoom(toasts: readonly Toast[]): readonly Toast[] {
  const passing = toasts.slice(0, -1).filter(({ isKept }) => !isKept);
  const leaving = new Set(passing.slice(0, Math.max(0, toasts.length - MOST)));
  for (const { id } of leaving) stopTimer(id);
  return toasts.filter((open) => !leaving.has(open));
}

function add(toast: Omit<Toast, "id" | "isKept"> & { sticky?: boolean | undefined }): void {
  lastId += 1;
  const id = lastId;
  const { sticky = false, ...content } = toast;
  const isKept = content.kind === "error" || sticky;
  // A repeated event replaces its earlier toast.
  const isSame = (open: Toast) => open.title === toast.title && open.text === toast.text;
  for (const open of shown.toasts.filter(isSame)) stopTimer(open.id);
  const others = shown.toasts.filter((open) => !isSame(open));
  change({ toasts: withRoom([...others, { ...content, id, isKept }]) });
  if (!isKept && !isHeld) closeLater(id, SHOWN_MS);
}

const optionsOf = (told: string | ToastOptions | undefined): ToastOptions =>
  typeof told === "string" ? { text: told } : (told ?? {});

/**
 * Tells what happened, bottom right.
 * @example toast.success(t("created"), key); toast.error(error, t("notSaved"));
 * @example toast.info(t("disabled", { name }), { sticky: true, action: { label: t("undo"), onClick: enable } });
 */
export const toast = {
  success: (title: string, told?: string | ToastOptions): void => add({ kind: "success", title, ...optionsOf(told) }),
  info: (title: string, told?: string | ToastOptions): void => add({ kind: "info", title, ...optionsOf(told) }),
  /** An error stays until closed, with 'copy details' and the request id. `title` says what did not happen. */
  error: (error: unknown, title?: string, options: Pick<ToastOptions, "action"> = {}): void => {
    const { message, details, requestId } = describeError(error);
    add({
      kind: "error",
      title: title ?? message,
      text: title === undefined ? undefined : message,
      details,
      requestId,
      ...options,
    });
  },
};

/** Shows or updates the progress of a job; `closeJob` removes it. @returns the job's id */
export function showJob(job: Omit<Job, "id">, id?: number): number {
  if (id === undefined) lastId += 1;
  const jobId = id ?? lastId;
  const others = shown.jobs.filter((open) => open.id !== jobId);
  change({ jobs: [...others, { ...job, id: jobId }] });
  return jobId;
}

/** Whether a job's toast is still open; people may close it and let the job run. */
export const isJobOpen = (id: number): boolean => shown.jobs.some((job) => job.id === id);

export function closeJob(id: number): void {
  change({ jobs: shown.jobs.filter((job) => job.id !== id) });
}
