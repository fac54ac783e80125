/** Who is logged in, as the browser remembers it: guards and menus read it, login and logout write it. */
import { useSyncExternalStore } from "react";
import { isAdmin, ROLE } from "../../../contract/src/roles.ts";
import { readStoredJson, STORAGE, writeStored, writeStoredJson } from "./storage.ts";

export interface Viewer {
  id: number;
  username: string;
  display_name: string;
  role: number;
  status: number;
  group: string;
}

const listeners = new Set<() => void>();
let cached: Viewer | null | undefined;

function parseViewer(value: unknown): Viewer | null {
  if (typeof value !== "object" || value === null) return null;
  const record = value as Record<string, unknown>;
  if (typeof record["id"] !== "number" || typeof record["username"] !== "string") return null;
  return {
    id: record["id"],
    username: record["username"],
    display_name: typeof record["display_name"] === "string" ? record["display_name"] : "",
    role: typeof record["role"] === "number" ? record["role"] : ROLE.guest,
    status: typeof record["status"] === "number" ? record["status"] : 0,
    group: typeof record["group"] === "string" ? record["group"] : "",
  };
}

/** The stored user, or null for a guest. */
export function viewer(): Viewer | null {
  if (cached === undefined) cached = parseViewer(readStoredJson(STORAGE.user));
  return cached;
}

/** Stores the user after a login; null after a logout or a 401. */
export function setViewer(value: unknown): void {
  const parsed = parseViewer(value);
  if (parsed === null) writeStored(STORAGE.user, null);
  else writeStoredJson(STORAGE.user, value);
  cached = parsed;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key !== STORAGE.user && event.key !== null) return;
    cached = undefined;
    listener();
  };
  listeners.add(listener);
  window.addEventListener("storage", onStorage);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", onStorage);
  };
}

/** Calls `listener` when another tab logged out or logged somebody else in; gives the function that ends it. */
export function onOtherViewer(listener: () => void): () => void {
  const before = viewer()?.id;
  const onStorage = ({ key }: StorageEvent) => {
    if (key !== STORAGE.user && key !== null) return;
    if (parseViewer(readStoredJson(STORAGE.user))?.id !== before) listener();
  };
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
}

/** The logged-in user; re-renders on login and logout, in other tabs too. */
export const useViewer = (): Viewer | null => useSyncExternalStore(subscribe, viewer);

/** Of whoever is logged in; `ROLE.guest` nobody. */
export const useRole = (): number => useViewer()?.role ?? ROLE.guest;

/** Whether admin-only columns, filters and entries are shown. */
export const useIsAdmin = (): boolean => isAdmin(useRole());
