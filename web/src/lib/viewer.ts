/** The logged-in user, as the browser remembers it: guards and menus read it, login and logout write it. */
import { type Act, mayDo } from "../../../contract/src/permissions.ts";
import { isAdmin, ROLE } from "../../../contract/src/roles.ts";
import { readStoredJson, STORAGE, writeStored, writeStoredJson } from "./storage.ts";
import { createStore, type Readable, useStore } from "./store.ts";

export interface Viewer {
  id: number;
  username: string;
  display_name: string;
  role: number;
  status: number;
  group: string;
  /** What has to be done before anything else; "" nothing. Every page but the one for it is refused meanwhile. */
  required_action: string;
  /** JSON text of the entries of the side bar that they hide; "" none. */
  sidebar_modules: string;
  /** What an administrator may do; null for everything. */
  admin_permissions: readonly string[] | null;
  /** An administrator sees the console as this user, read-only: until when (Unix seconds), and what was stored of the administrator. */
  seen?: { until: number; by: unknown };
}

const isSeen = (value: unknown): value is Required<Viewer>["seen"] =>
  typeof (value as { until?: unknown } | undefined)?.until === "number";

/** The role that pages offer acts by: at most a user while another user is seen, since others are refused. */
const roleOf = ({ role, seen }: Record<string, unknown>): number =>
  typeof role !== "number" ? ROLE.guest : isSeen(seen) ? Math.min(role, ROLE.user) : role;

function parseViewer(value: unknown): Viewer | null {
  if (typeof value !== "object" || value === null) return null;
  const record = value as Record<string, unknown>;
  if (typeof record["id"] !== "number" || typeof record["username"] !== "string") return null;
  return {
    id: record["id"],
    username: record["username"],
    display_name: typeof record["display_name"] === "string" ? record["display_name"] : "",
    role: roleOf(record),
    status: typeof record["status"] === "number" ? record["status"] : 0,
    group: typeof record["group"] === "string" ? record["group"] : "",
    required_action: typeof record["required_action"] === "string" ? record["required_action"] : "",
    sidebar_modules: typeof record["sidebar_modules"] === "string" ? record["sidebar_modules"] : "",
    admin_permissions: Array.isArray(record["admin_permissions"]) ? record["admin_permissions"].map(String) : null,
    ...(isSeen(record["seen"]) && { seen: record["seen"] }),
  };
}

const storedViewer = (): Viewer | null => parseViewer(readStoredJson(STORAGE.user));

const current = createStore(storedViewer);

/** The stored user, or null for a guest. */
export const viewer = (): Viewer | null => current.get();

/** Stores the user after a login; null after a logout or a 401. */
export function setViewer(value: unknown): void {
  const parsed = parseViewer(value);
  if (parsed === null) writeStored(STORAGE.user, null);
  else writeStoredJson(STORAGE.user, value);
  current.set(parsed);
}

/** True while no tab of this browser is logged in, as far as it knows. */
export const isLoggedOut = (): boolean => storedViewer() === null;

/** Lets the other tabs know at once that this browser logs out, before the server refuses their calls; gives the function that takes it back. */
export function beginLogout(): () => void {
  const before = readStoredJson(STORAGE.user);
  writeStored(STORAGE.user, null);
  return () => writeStoredJson(STORAGE.user, before);
}

const isOfViewer = ({ key }: StorageEvent): boolean => key === STORAGE.user || key === null;

/** Notes which entries of the side bar the user hides, as the server has it. */
export function rememberSidebar(sidebar_modules: string): void {
  const stored = readStoredJson(STORAGE.user);
  const known = parseViewer(stored);
  if (known === null || known.sidebar_modules === sidebar_modules) return;
  setViewer({ ...(stored as object), sidebar_modules });
}

function onOtherTab(event: StorageEvent): void {
  if (isOfViewer(event)) current.set(storedViewer());
}

let readers = 0;

/** The viewer as components read it: while one does, logins and logouts in other tabs count too. */
const everyTab: Readable<Viewer | null> = {
  get: viewer,
  subscribe: (listener) => {
    const end = current.subscribe(listener);
    readers += 1;
    if (readers === 1) window.addEventListener("storage", onOtherTab);
    return () => {
      end();
      readers -= 1;
      if (readers === 0) window.removeEventListener("storage", onOtherTab);
    };
  },
};

/** Calls `listener` when another tab logged out or logged another user in; gives the function that ends it. */
export function onOtherViewer(listener: () => void): () => void {
  const before = viewer()?.id;
  const onStorage = (event: StorageEvent) => {
    if (isOfViewer(event) && storedViewer()?.id !== before) listener();
  };
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
}

/** The logged-in user; re-renders on login and logout, in other tabs too. */
export const useViewer = (): Viewer | null => useStore(everyTab);

/** Of the logged-in user; `ROLE.guest` without one. */
export const useRole = (): number => useViewer()?.role ?? ROLE.guest;

/** Whether a viewer may do it as an administrator. The server decides; this is for what is shown. */
export const mayOf = (of: Viewer | null, act: Act): boolean =>
  of !== null && mayDo({ role: of.role, permissions: of.admin_permissions?.join(",") ?? null }, act);

/** The same for the logged-in user, as components read it. */
export const useMay = (act: Act): boolean => mayOf(useViewer(), act);

/** Whether admin-only columns, filters and entries are shown. */
export const useIsAdmin = (): boolean => isAdmin(useRole());
