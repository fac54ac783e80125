/** Light or dark: the choice stored under 'theme-mode', otherwise the system's. */
import { useSyncExternalStore } from "react";
import { readStored, STORAGE, writeStored } from "./storage.ts";

export type Scheme = "light" | "dark";

const listeners = new Set<() => void>();
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

function current(): Scheme {
  const stored = readStored(STORAGE.theme);
  if (stored === "light" || stored === "dark") return stored;
  return systemDark.matches ? "dark" : "light";
}

function apply(): void {
  document.documentElement.setAttribute("data-mantine-color-scheme", current());
  for (const listener of listeners) listener();
}

systemDark.addEventListener("change", apply);

/** Stores the choice and shows it at once. */
function setScheme(scheme: Scheme): void {
  writeStored(STORAGE.theme, scheme);
  apply();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The current scheme, and a function that switches to the other. */
export function useScheme(): { scheme: Scheme; toggle: () => void } {
  const scheme = useSyncExternalStore(subscribe, current);
  return { scheme, toggle: () => setScheme(scheme === "dark" ? "light" : "dark") };
}
