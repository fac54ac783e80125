/** The log as CSV, chunk by chunk along the same indexes as the list, whatever its size; the same facts for the same people. */
import type { AdminLog, UserLog } from "../../../../contract/src/features/logs.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { BYTE_ORDER_MARK, csvLine } from "./csv.ts";
import type { LogQuery } from "./filter.ts";
import { resolveFilter } from "./filter.ts";
import { rowsInChunks } from "./export-store.ts";
import { type StoredLog, withLead } from "./store.ts";
import { adminView, userView } from "./views.ts";

type ExportContext = Pick<ConsoleContext, "database" | "snapshot">;

type Cell = string | number | boolean;
type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

const USER_COLUMNS: Columns<UserLog> = {
  id: (row) => row.id,
  time: (row) => isoTime(row.created_at),
  created_at: (row) => row.created_at,
  type: (row) => row.type,
  request_id: (row) => row.request_id,
  user_id: (row) => row.user_id,
  username: (row) => row.username,
  token_id: (row) => row.token_id,
  token_name: (row) => row.token_name,
  group: (row) => row.group,
  model_name: (row) => row.model_name,
  quota: (row) => row.quota,
  prompt_tokens: (row) => row.prompt_tokens,
  completion_tokens: (row) => row.completion_tokens,
  use_time_ms: (row) => row.use_time_ms,
  first_token_ms: (row) => row.first_token_ms,
  is_stream: (row) => row.is_stream,
  ip: (row) => row.ip,
  content: (row) => row.content,
  receipt: (row) => row.other,
};
const ADMIN_COLUMNS: Columns<AdminLog> = {
  ...USER_COLUMNS,
  channel: (row) => row.channel,
  channel_name: (row) => row.channel_name,
  // In quota; blank where nobody knows.
  upstream_cost: ({ upstream_cost: cost }) => cost ?? "",
  margin: ({ upstream_cost: cost, quota }) => (cost === null ? "" : quota - cost),
};

async function* textOf<Row>(
  context: ExportContext,
  query: LogQuery,
  columns: Columns<Row>,
  view: (row: StoredLog) => Row,
): AsyncGenerator<string> {
  const cells = Object.values(columns);
  yield BYTE_ORDER_MARK + csvLine(Object.keys(columns));
  const resolved = await resolveFilter(context.database, query);
  if (resolved === undefined) return;
  const filter = await withLead(context.database, resolved);
  for await (const rows of rowsInChunks(context.database, filter)) {
    yield rows
      .map((row) => view(row))
      .map((row) => csvLine(cells.map((cell) => cell(row))))
      .join("");
  }
}

/** Rows of everybody, with channels. */
export const exportLogs = (context: ExportContext, query: LogQuery): AsyncGenerator<string> =>
  textOf(context, query, ADMIN_COLUMNS, (row) => adminView(row, (id) => context.snapshot.channelById(id)));

/** Rows of one user, as that user may see them. */
export const exportOwnLogs = (context: ExportContext, userId: number, query: LogQuery): AsyncGenerator<string> =>
  textOf(context, { ...query, userId, username: undefined, channelId: undefined }, USER_COLUMNS, userView);

/** Headers of a download of this moment; `now` in Unix milliseconds. */
export const downloadHeaders = (now: number): Record<string, string> => ({
  "Content-Disposition": `attachment; filename="usage-log-${new Date(now).toISOString().slice(0, 19).replaceAll(/[:T]/g, "-")}.csv"`,
});
