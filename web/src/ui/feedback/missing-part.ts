/** Parts of the page that load later and cannot: gone after an update of the site, or out of reach. */

/** Raised for a page whose code did not come. Its own class, so that nobody reloads because of the browser's words for it. */
class MissingPartError extends Error {
  constructor(cause: unknown) {
    super("A part of the page did not load", { cause });
    this.name = "MissingPartError";
  }
}

/** How Chromium, Firefox, Safari and the bundler's loader of style sheets word it. */
const WORDS =
  /^(?:Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS)/i;

export const isMissingPart = (error: unknown): boolean =>
  error instanceof MissingPartError || (error instanceof Error && WORDS.test(error.message));

/** Imports a part. Throws MissingPartError where it does not come. */
export const importPart =
  <Part>(load: () => Promise<Part>): (() => Promise<Part>) =>
  async () => {
    try {
      return await load();
    } catch (error) {
      throw isMissingPart(error) ? new MissingPartError(error) : error;
    }
  };

const PROBE_MS = 5_000;

/** Whether the server answers at all: a reload without it would leave the browser's own error page. */
export async function isSiteReachable(): Promise<boolean> {
  if (!navigator.onLine) return false;
  try {
    await fetch(location.href, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(PROBE_MS) });
    return true;
  } catch {
    return false;
  }
}

const RELOADED_KEY = "reloaded_for_missing_part";
/** A second miss so soon after a reload is no old page any more. */
const ONCE_WITHIN_MS = 60_000;

/** Reloads the page unless it did so a moment ago. @returns false where it did: then reloading does not help */
export function reloadOnce(nowMs = Date.now()): boolean {
  try {
    const lastMs = Number(sessionStorage.getItem(RELOADED_KEY));
    if (nowMs - lastMs < ONCE_WITHIN_MS) return false;
    sessionStorage.setItem(RELOADED_KEY, String(nowMs));
  } catch {
    // A browser without storage could not tell a second reload from the first.
    return false;
  }
  location.reload();
  return true;
}
