/** Handles code that fails to load later: removed by an update of the site, or unreachable. */

/** Thrown for a page whose code did not load. A class of its own, so that the check does not depend on the browser's wording. */
class MissingPartError extends Error {
  constructor(cause: unknown) {
    super("A part of the page did not load", { cause });
    this.name = "MissingPartError";
  }
}

/** The messages of Chromium, Firefox, Safari and the bundler's style sheet loader. */
const WORDS =
  /^(?:Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS)/i;

export const isMissingPart = (error: unknown): boolean =>
  error instanceof MissingPartError || (error instanceof Error && WORDS.test(error.message));

/** Imports a part. Throws MissingPartError where it fails to load. */
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

/** Whether the server answers at all: a reload without it would show the browser's own error page. */
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
/** A second failure within this time after a reload is not caused by an outdated page. */
const ONCE_WITHIN_MS = 60_000;

/** Reloads the page unless it was reloaded a moment ago. @returns false where it was, because reloading does not help then */
export function reloadOnce(nowMs = Date.now()): boolean {
  try {
    const lastMs = Number(sessionStorage.getItem(RELOADED_KEY));
    if (nowMs - lastMs < ONCE_WITHIN_MS) return false;
    sessionStorage.setItem(RELOADED_KEY, String(nowMs));
  } catch {
    // Without storage, a second reload could not be distinguished from the first.
    return false;
  }
  location.reload();
  return true;
}
