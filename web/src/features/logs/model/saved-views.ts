/** Named views of the log: the built-in ones, and those that this browser stores. Pure but for the browser's storage. */
import { readStoredJson, STORAGE, writeStoredJson } from "../../../lib/storage.ts";

/** Filters by their names in the address. */
export type ViewSearch = Readonly<Record<string, string>>;

export interface SavedView {
  name: string;
  search: ViewSearch;
}

const VERSION = 1;
/** More are no help to find one. */
export const MOST_VIEWS = 30;
export const LONGEST_NAME = 60;

/** The built-in views; their names are texts of the page. `slow` is the threshold at which total times are amber. */
export const USUAL_VIEWS = [
  { id: "errors", search: { type: "5" } },
  { id: "slow", search: { min_time_ms: "101000" } },
  { id: "today", search: {} },
] as const satisfies readonly { id: string; search: ViewSearch }[];

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** A view as this version writes it; undefined for anything else. */
function viewOf(value: unknown): SavedView | undefined {
  if (!isObject(value) || typeof value["name"] !== "string" || !isObject(value["search"])) return undefined;
  const search = Object.entries(value["search"]).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return { name: value["name"].slice(0, LONGEST_NAME), search: Object.fromEntries(search) };
}

/** The views in what was stored; none where it is of another version or damaged. */
export function readViews(stored: unknown): SavedView[] {
  if (!isObject(stored) || stored["version"] !== VERSION || !Array.isArray(stored["views"])) return [];
  return stored["views"].flatMap((each) => viewOf(each) ?? []).slice(0, MOST_VIEWS);
}

export const storedViews = (): SavedView[] => readViews(readStoredJson(STORAGE.logViews));

export const storeViews = (views: readonly SavedView[]): void =>
  writeStoredJson(STORAGE.logViews, { version: VERSION, views });

/** The views with one more; one of the same name is replaced, and where there are too many the oldest goes. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].slice(-MOST_VIEWS);
