/** The public status of the server (GET /api/status), read by shell, guards and money display. */
import type { z } from "zod";
import { Fault } from "../../../contract/src/fault.ts";
import type { statusSchema } from "../../../contract/src/features/status.ts";
import { statusOfWays } from "../../../contract/src/ways-in.ts";
import { readStored, readStoredJson, STORAGE, writeStored, writeStoredJson } from "./storage.ts";
import { createStore, useStore } from "./store.ts";

/** The status object as the contract declares it. */
export type Status = z.output<typeof statusSchema>;

/** Defaults until the server has answered; a field that is absent keeps its default. */
const UNKNOWN_STATUS: Status = {
  system_name: "Turnpike",
  logo_dark: "",
  favicon: "",
  logo: "",
  footer_html: "",
  quota_per_unit: 500_000,
  display_in_currency: true,
  quota_display_type: "USD",
  usd_exchange_rate: 7.3,
  custom_currency_symbol: "¤",
  custom_currency_exchange_rate: 1,
  enable_drawing: false,
  enable_task: false,
  enable_data_export: false,
  chats: [],
  data_export_default_time: "hour",
  data_export_interval: 5,
  default_collapse_sidebar: false,
  default_use_auto_group: false,
  HeaderNavModules: "{}",
  SidebarModulesAdmin: "{}",
  mj_notify_enabled: false,
  chat_link: "",
  chat_link2: "",
  docs_link: "",
  version: "",
  start_time: 0,
  email_verification: false,
  checkin_enabled: false,
  turnstile_check: false,
  turnstile_site_key: "",
  ...statusOfWays(
    () => false,
    () => "",
  ),
  telegram_bot_enabled: false,
  identity_providers: [],
  setup: true,
  self_use_mode_enabled: false,
  demo_site_enabled: false,
  server_address: "",
  price: 7.3,
  min_topup: 1,
  top_up_link: "",
  enable_online_topup: false,
  password_login: true,
  register_enabled: false,
  password_register: false,
  invitee_reward: 0,
  inviter_reward: 0,
  password_reset: false,
  user_agreement_enabled: false,
  privacy_policy_enabled: false,
  status_page_enabled: false,
  model_rankings_enabled: false,
  chat_share_enabled: false,
  terms_version: "",
  monthly_statement_enabled: false,
  client_address_log_required: false,
  announcements_enabled: false,
  announcements: [],
  faq_enabled: false,
  faq: [],
  api_info_enabled: false,
  api_info: [],
};

function parseChats(value: unknown): Record<string, string>[] {
  const list: unknown = typeof value === "string" ? safeJson(value) : value;
  if (!Array.isArray(list)) return [];
  return list.filter(
    (entry): entry is Record<string, string> =>
      typeof entry === "object" && entry !== null && Object.values(entry).every((link) => typeof link === "string"),
  );
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Merges the server's answer field by field; a field that is absent or has another type keeps its default. */
function parseStatus(value: unknown): Status {
  const sent = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const known = Object.entries(UNKNOWN_STATUS).map(([name, fallback]) => [
    name,
    typeof sent[name] === typeof fallback && Array.isArray(sent[name]) === Array.isArray(fallback)
      ? sent[name]
      : fallback,
  ]);
  return { ...(Object.fromEntries(known) as unknown as Status), chats: parseChats(sent["chats"]) };
}

type StatusFault = Fault<"unreachable" | "failed">;

/** Progress of loading the status. `isKnown`: this page load has an answer. */
export interface StatusState {
  isKnown: boolean;
  isLoading: boolean;
  error: StatusFault | undefined;
}

/** The last status known, at first the one in the browser's storage, and how loading it goes. */
const current = createStore<{ status: Status; loading: StatusState }>(() => ({
  status: parseStatus(readStoredJson(STORAGE.status)),
  loading: { isKnown: false, isLoading: false, error: undefined },
}));

/** Whether this browser has seen the site's status before: pages are then drawn at once, and corrected when it arrives. */
export const hasStoredStatus = (): boolean => readStored(STORAGE.status) !== null;

/** The last status known: from this page load, else from the browser's storage. */
export const status = (): Status => current.get().status;

/** Re-renders when the status arrives or changes. */
export const useStatus = (): Status => useStore(current, (known) => known.status);

/** The option's default: our own mark stands for it. */
const DEFAULT_LOGO = "/logo.png";

/** The browser's mark of the page follows the operator's icon or logo; ours stays where there is none of theirs. */
function showIcon(logo: string): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link === null) return;
  const isOwn = logo !== "" && logo !== DEFAULT_LOGO;
  if (isOwn) link.removeAttribute("type");
  else link.type = "image/svg+xml";
  link.href = isOwn ? logo : "/mark.svg";
}

/** Stores the fields that other pages read from storage, under the names they expect. */
function store(next: Status): void {
  writeStoredJson(STORAGE.status, next);
  writeStored(STORAGE.systemName, next.system_name);
  writeStored(STORAGE.logo, next.logo);
  showIcon(next.favicon === "" ? next.logo : next.favicon);
  writeStored(STORAGE.footer, next.footer_html === "" ? null : next.footer_html);
  writeStored(STORAGE.quotaPerUnit, String(next.quota_per_unit));
  writeStored(STORAGE.isCurrencyShown, String(next.display_in_currency));
  writeStored(STORAGE.enableDrawing, String(next.enable_drawing));
  writeStored(STORAGE.enableTask, String(next.enable_task));
  writeStored(STORAGE.enableDataExport, String(next.enable_data_export));
  writeStored(STORAGE.isDrawingNotified, String(next.mj_notify_enabled));
  writeStoredJson(STORAGE.chats, next.chats);
}

const statusFault = (kind: StatusFault["kind"]): StatusFault => new Fault(kind, `the status is ${kind}`);

const setLoading = (loading: StatusState): void => current.update((before) => ({ ...before, loading }));

async function askStatus(): Promise<Status> {
  const response = await fetch("/api/status", { headers: { Accept: "application/json" } }).catch(() => undefined);
  if (response === undefined) throw statusFault("unreachable");
  const body: unknown = await response.json().catch(() => undefined);
  const envelope = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  if (!response.ok || envelope["success"] !== true) throw statusFault("failed");
  return parseStatus(envelope["data"]);
}

/** Asks the server for its status, makes it current and stores it; called at the start and after settings are saved. */
export async function loadStatus(): Promise<void> {
  const { loading } = current.get();
  if (loading.isLoading) return;
  setLoading({ ...loading, isLoading: true });
  try {
    const next = await askStatus();
    store(next);
    current.set({ status: next, loading: { isKnown: true, isLoading: false, error: undefined } });
  } catch (error) {
    setLoading({ ...loading, isLoading: false, error: error instanceof Fault ? error : statusFault("failed") });
  }
}

/** Whether the status is known, being asked for, or could not be loaded. */
export const useStatusState = (): StatusState => useStore(current, ({ loading }) => loading);

/** The base URL for clients: the configured one, otherwise this page's origin. Without a trailing slash. */
export const serverAddress = (): string => (status().server_address || location.origin).replace(/\/+$/, "");
