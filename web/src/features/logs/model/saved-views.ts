/** Views of the log: the built-in ones, which one is shown, and those that earlier versions kept in the browser. Pure but for the browser's storage. */
import {
  LOG_VIEW_FILTERS,
  LOG_VIEW_NAME_MAX,
  LOG_VIEWS_MAX,
  type LogViewSearch,
  LOG_VIEW_VALUE_MAX,
  type NewLogView,
} from "../../../../../contract/src/logs/filters.ts";
import { readStoredJson, STORAGE, writeStored } from "../../../lib/storage.ts";

/** The built-in views; their names are texts of the page. `slow` is the threshold at which total times are amber. */
export const USUAL_VIEWS = [
  { id: "today", search: {} },
  { id: "errors", search: { type: "5" } },
  { id: "slow", search: { min_time_ms: "101000" } },
] as const satisfies readonly { id: string; search: LogViewSearch }[];

/** Whether both ask for the same; a filter that is absent and one without a value are alike. */
export const isSameSearch = (a: LogViewSearch, b: LogViewSearch): boolean =>
  LOG_VIEW_FILTERS.every((name) => (a[name] ?? "") === (b[name] ?? ""));

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const isValue = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "" && value.length <= LOG_VIEW_VALUE_MAX;

/** A view as the server takes it; undefined for anything else. */
function viewOf(value: unknown): NewLogView | undefined {
  if (!isObject(value) || typeof value["name"] !== "string" || !isObject(value["search"])) return undefined;
  const { search } = value;
  const name = value["name"].slice(0, LOG_VIEW_NAME_MAX).trim();
  const filters = LOG_VIEW_FILTERS.flatMap((filter) => (isValue(search[filter]) ? [[filter, search[filter]]] : []));
  return name === "" ? undefined : { name, search: Object.fromEntries(filters) as LogViewSearch };
}

/** The views in what an earlier version stored; none where it is damaged. */
export function readViews(stored: unknown): NewLogView[] {
  if (!isObject(stored) || stored["version"] !== 1 || !Array.isArray(stored["views"])) return [];
  return stored["views"].flatMap((each) => viewOf(each) ?? []).slice(0, LOG_VIEWS_MAX);
}

/** The views that this browser still keeps from earlier versions. */
export const browserViews = (): NewLogView[] => readViews(readStoredJson(STORAGE.logViews));

export const forgetBrowserViews = (): void => writeStored(STORAGE.logViews, null);
