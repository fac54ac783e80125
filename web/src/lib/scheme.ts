/** Light or dark: the choice stored under 'theme-mode', otherwise the system's. */
import { readStored, STORAGE, writeStored } from "./storage.ts";
import { createStore, useStore } from "./store.ts";

export type Scheme = "light" | "dark";

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

function wanted(): Scheme {
  const stored = readStored(STORAGE.theme);
  if (stored === "light" || stored === "dark") return stored;
  return systemDark.matches ? "dark" : "light";
}

const current = createStore(wanted);

function apply(): void {
  document.documentElement.setAttribute("data-mantine-color-scheme", wanted());
  current.set(wanted());
}

systemDark.addEventListener("change", apply);

/** Stores the choice and shows it at once. */
function setScheme(scheme: Scheme): void {
  writeStored(STORAGE.theme, scheme);
  apply();
}

/** The current scheme, and a function that switches to the other. */
export function useScheme(): { scheme: Scheme; toggle: () => void } {
  const scheme = useStore(current);
  return { scheme, toggle: () => setScheme(scheme === "dark" ? "light" : "dark") };
}
