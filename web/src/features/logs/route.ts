/** The route of the usage log: its address, texts and page. */
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH } from "../../ui/data-table/list-search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

export const logSearch = searchReader({
  ...LIST_SEARCH,
  /** One call, by the id of its answer. */
  request_id: text,
  type: text,
  model_name: text,
  token_name: text,
  group: text,
  username: text,
  channel: text,
  error_code: text,
  client: text,
  min_time_ms: text,
  min_quota: text,
  has_error: oneOf("true"),
  upstream_request_id: text,
  range: text,
  start_timestamp: text,
  end_timestamp: text,
  /** The measure of the bars above the list; calls if absent. */
  bars: oneOf("errors", "quota"),
  /** The field by which entries are summed up; a list of entries if absent. */
  group_by: oneOf("user", "token", "model", "channel", "client", "error_code"),
  group_order: oneOf("errors", "quota"),
  /** The dialog that deletes old entries. */
  open: oneOf("clear"),
});

export const logsRoute = {
  path: "/log",
  validateSearch: logSearch,
  loader: () => loadTexts("logs"),
  component: lazyPage(() => import("./page.tsx"), "LogsPage"),
} as const;
