/** The browser's storage: every key that the console stores, read and written in one place. */

/** Keys as consoles of this API family name them, and ours beside them. */
export const STORAGE = {
  user: "user",
  status: "status",
  systemName: "system_name",
  logo: "logo",
  quotaPerUnit: "quota_per_unit",
  isCurrencyShown: "display_in_currency",
  inviteCode: "aff",
  /** The page that was wanted, while the user signs in at another site. */
  loginNext: "login_next",
  channelModels: "channel_models",
  pageSize: "page-size",
  areModelsExpanded: "modelsExpanded",
  chats: "chats",
  theme: "theme-mode",
  language: "i18nextLng",
  areShortcutsOff: "shortcuts_off",
  isSideBarCollapsed: "default_collapse_sidebar",
  footer: "footer_html",
  enableDataExport: "enable_data_export",
  enableDrawing: "enable_drawing",
  enableTask: "enable_task",
  /** Hash of the announcement that was closed. */
  seenNotice: "seen_notice",
  isDrawingNotified: "mj_notify_enabled",
  /** Sites that get the key of a certain token without a question. */
  chatKeysAllowed: "chat_keys_allowed",
  modelColors: "model_colors",
  /** Start time of the log deletion that this browser follows; its end is announced once. */
  clearRun: "log_clear_run",
  /** Saved views of the log. */
  logViews: "log_views",
  /** The parameters of each model, by its name. */
  playgroundParameters: "playground_parameters",
  /** Prompts kept by name, by the id of their person. */
  playgroundPresets: "playground_presets",
} as const;

export type StorageKey =
  | (typeof STORAGE)[keyof typeof STORAGE]
  | `columns:${string}`
  | `first_steps:${number}`
  | `member_steps:${number}`
  // Whether the list of channels had balances to show last: only that page names it.
  | "channel_balances";

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

/** Stored JSON, or undefined where it is absent or damaged. The caller validates it. */
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

/** True where the stored flag reads 'true'. */
export const isStoredTrue = (key: StorageKey): boolean => readStored(key) === "true";

export const PAGE_SIZES = [10, 20, 50, 100] as const;

/** The chosen page size; undefined until one has been chosen. */
export function storedPageSize(): number | undefined {
  const size = Number(readStored(STORAGE.pageSize));
  return PAGE_SIZES.find((allowed) => allowed === size);
}
