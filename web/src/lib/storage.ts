/** What the browser keeps between visits: every key the console stores, read and written in one place. */

/** Keys as the specification names them (section 3, "Browser storage"), and ours beside them. */
export const STORAGE = {
  user: "user",
  status: "status",
  systemName: "system_name",
  logo: "logo",
  quotaPerUnit: "quota_per_unit",
  isCurrencyShown: "display_in_currency",
  inviteCode: "aff",
  channelModels: "channel_models",
  pageSize: "page-size",
  areModelsExpanded: "modelsExpanded",
  chats: "chats",
  theme: "theme-mode",
  language: "i18nextLng",
  isSideBarCollapsed: "default_collapse_sidebar",
  footer: "footer_html",
  enableDataExport: "enable_data_export",
  enableDrawing: "enable_drawing",
  enableTask: "enable_task",
  /** Hash of the announcement that was closed. */
  seenNotice: "seen_notice",
  isDrawingNotified: "mj_notify_enabled",
  modelColors: "model_colors",
  /** When the deletion of old log entries that this browser shows began; its end is told once. */
  clearRun: "log_clear_run",
} as const;

type StorageKey = (typeof STORAGE)[keyof typeof STORAGE] | `columns:${string}`;

/** The stored text, or null where there is none or the browser refuses storage. */
export function readStored(key: StorageKey): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores text; null removes the key. A browser that refuses storage loses the preference, nothing else. */
export function writeStored(key: StorageKey, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Private windows may refuse storage: the page works on without remembering.
  }
}

/** Stored JSON, or undefined where absent or damaged. The caller checks its shape. */
export function readStoredJson(key: StorageKey): unknown {
  const text = readStored(key);
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function writeStoredJson(key: StorageKey, value: unknown): void {
  writeStored(key, JSON.stringify(value));
}

/** True where the stored flag reads 'true' (spec section 2, side bar). */
export const isStoredTrue = (key: StorageKey): boolean => readStored(key) === "true";

export const PAGE_SIZES = [10, 20, 50, 100] as const;

/** The remembered rows per page; 10 where none is stored (spec section 9, paging). */
export function storedPageSize(): number {
  const size = Number(readStored(STORAGE.pageSize));
  return PAGE_SIZES.some((allowed) => allowed === size) ? size : PAGE_SIZES[0];
}
