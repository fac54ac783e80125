/** The open toasts, one per event. They close after a while unless the user is reading, and are shown by toast.tsx: in the open form, else over the page. */
import { createStore, type Readable } from "../../lib/store.ts";
import { describeError } from "./describe-error.ts";

export type ToastKind = "success" | "info" | "error";

/** An action that a toast offers; pressing it closes the toast. */
export interface ToastAction {
  label: string;
  onClick: () => void;
}

export interface ToastOptions {
  text?: string | undefined;
  /** Stays until it is closed or the page is left. */
  sticky?: boolean | undefined;
  /** How long it shows where that is not its kind's time; it then also stays over a change of page. */
  shownMs?: number | undefined;
  action?: ToastAction | undefined;
  /** The act. Its result takes the place of the one before; of a call to the server the call itself is the act. */
  act?: string | undefined;
}

export interface Toast {
  id: number;
  kind: ToastKind;
  title: string;
  text?: string | undefined;
  details?: string | undefined;
  requestId?: string | undefined;
  action?: ToastAction | undefined;
  act?: string | undefined;
  /** How long it shows; undefined for as long as its form or page is open. */
  shownMs: number | undefined;
  /** It makes no room for others. */
  isKept: boolean;
  /** The form that was open when it came; with that form its errors go. */
  place: HTMLElement | undefined;
  /** In ms, as Date.now gives it. */
  shownAtMs: number;
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

const SHOWN_MS: Record<ToastKind, number> = { success: 3000, info: 3000, error: 10_000 };
/** A toast shown this shortly before a change of page belongs to it: "Saved", and the list opens. */
const OF_THE_CHANGE_MS = 1000;
/** Remaining time of a toast after hover or focus has left it. */
const AFTER_READING_MS = 1500;
const MOST = 4;

interface Shown {
  toasts: readonly Toast[];
  jobs: readonly Job[];
  /** The innermost open form, which shows its own toasts; undefined where there is none. */
  place: ToastRoom | undefined;
}

/** The part of an open form in which toasts are shown. */
export interface ToastRoom {
  element: HTMLElement;
  /** The form covers the corner of the page: it shows all of them. */
  takesAll: boolean;
}

const shown = createStore<Shown>(() => ({ toasts: [], jobs: [], place: undefined }));
/** The open forms, the innermost last. */
const places: ToastRoom[] = [];
let lastId = 0;
let isHeld = false;
const timers = new Map<number, ReturnType<typeof setTimeout>>();

const change = (next: Partial<Shown>): void => shown.update((current) => ({ ...current, ...next }));

/** Toasts shown now. */
export const shownToasts: Readable<Shown> = shown;

function stopTimer(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

export function closeToast(id: number): void {
  stopTimer(id);
  change({ toasts: shown.get().toasts.filter((toast) => toast.id !== id) });
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
  for (const { id, shownMs } of shown.get().toasts) {
    if (shownMs === undefined) continue;
    if (isRead) stopTimer(id);
    else closeLater(id, AFTER_READING_MS);
  }
}

function closeWhere(isMeant: (toast: Toast) => boolean): void {
  const closing = shown.get().toasts.filter(isMeant);
  if (closing.length === 0) return;
  for (const { id } of closing) stopTimer(id);
  change({ toasts: shown.get().toasts.filter((open) => !closing.includes(open)) });
}

/** Shows toasts in an open form until the function that is returned is called; the form's errors go with it. */
export function openToastPlace(place: ToastRoom): () => void {
  places.push(place);
  change({ place: places.at(-1) });
  return () => {
    places.splice(places.indexOf(place), 1);
    closeErrorsIn(place.element);
    change({ place: places.at(-1) });
  };
}

/** Closes the errors of a form: it is sent again, or closed. */
export const closeErrorsIn = (place: HTMLElement): void =>
  closeWhere((open) => open.kind === "error" && open.place === place);

/** Closes the failure of an act that has succeeded since. */
export const closeFailureOf = (act: string): void => closeWhere((open) => open.kind === "error" && open.act === act);

/** Closes what belongs to the page that is being left: errors, and what would stay. */
export function closeToastsOfPage(): void {
  const sinceMs = Date.now() - OF_THE_CHANGE_MS;
  closeWhere(({ kind, shownMs, shownAtMs }) => (kind === "error" || shownMs === undefined) && shownAtMs <= sinceMs);
}

/** Makes room for the newest toast: closes the oldest ones that would time out soon, but never an error. */
function withRoom(toasts: readonly Toast[]): readonly Toast[] {
  const passing = toasts.slice(0, -1).filter(({ isKept }) => !isKept);
  const removed = new Set(passing.slice(0, Math.max(0, toasts.length - MOST)));
  for (const { id } of removed) stopTimer(id);
  return toasts.filter((open) => !removed.has(open));
}

type Content = Pick<Toast, "kind" | "title" | "text" | "details" | "requestId">;

function add(content: Content, { sticky = false, shownMs, action, act }: ToastOptions): void {
  lastId += 1;
  const id = lastId;
  const place = places.at(-1)?.element;
  const staysOpen = sticky || (content.kind === "error" && place !== undefined);
  // A repeated event replaces its earlier toast, and so does the next result of an act.
  const isSame = (open: Toast) =>
    (open.title === content.title && open.text === content.text) || (act !== undefined && open.act === act);
  for (const open of shown.get().toasts.filter(isSame)) stopTimer(open.id);
  const others = shown.get().toasts.filter((open) => !isSame(open));
  const toast: Toast = {
    ...content,
    id,
    action,
    act,
    place,
    shownMs: staysOpen ? undefined : (shownMs ?? SHOWN_MS[content.kind]),
    isKept: staysOpen || content.kind === "error" || shownMs !== undefined,
    shownAtMs: Date.now(),
  };
  change({ toasts: withRoom([...others, toast]) });
  if (toast.shownMs !== undefined && !isHeld) closeLater(id, toast.shownMs);
}

const optionsOf = (given: string | ToastOptions | undefined): ToastOptions =>
  typeof given === "string" ? { text: given } : (given ?? {});

const show = (kind: ToastKind, title: string, given: string | ToastOptions | undefined): void => {
  const options = optionsOf(given);
  add({ kind, title, text: options.text }, options);
};

/**
 * Shows what happened: in the open form, else bottom right.
 * @example toast.success(t("created"), key); toast.error(error, t("notSaved"));
 * @example toast.info(t("disabled", { name }), { shownMs: 8000, action: { label: t("undo"), onClick: enable } });
 */
export const toast = {
  success: (title: string, given?: string | ToastOptions): void => show("success", title, given),
  info: (title: string, given?: string | ToastOptions): void => show("info", title, given),
  /**
   * An error, with 'copy details' and the request id. `title` says what did not happen. In a form it stays until the form is sent again
   * or closed, elsewhere for ten seconds; a later success of the same act closes it.
   */
  error: (error: unknown, title?: string, options: Pick<ToastOptions, "action" | "act"> = {}): void => {
    const { message, details, requestId, act } = describeError(error);
    const text = title === undefined ? undefined : message;
    add({ kind: "error", title: title ?? message, text, details, requestId }, { act, ...options });
  },
};

/** Shows or updates the progress of a job; `closeJob` removes it. @returns the job's id */
export function showJob(job: Omit<Job, "id">, id?: number): number {
  if (id === undefined) lastId += 1;
  const jobId = id ?? lastId;
  const others = shown.get().jobs.filter((open) => open.id !== jobId);
  change({ jobs: [...others, { ...job, id: jobId }] });
  return jobId;
}

/** Whether a job's toast is still open; people may close it and let the job run. */
export const isJobOpen = (id: number): boolean => shown.get().jobs.some((job) => job.id === id);

export function closeJob(id: number): void {
  change({ jobs: shown.get().jobs.filter((job) => job.id !== id) });
}
