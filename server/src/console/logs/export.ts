/** The log as CSV, chunk by chunk along the same indexes as the list, whatever its size; the same facts for the same people. */
import type { AdminLog, UserLog } from "../../../../contract/src/features/logs.ts";
import type { Database } from "../../db/database.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { conditionCount, type LogFilter, type LogQuery, resolveFilter } from "./filter.ts";
import { idsBetween, leadOf, type Place, tracksOf, windowEnd } from "./scan-window.ts";
import { readPage, type StoredLog, withLead } from "./store.ts";
import { adminView, userView } from "./views.ts";

/** Spreadsheets read UTF-8 only where this stands first. */
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * What a spreadsheet may run, in narrow and wide letters: such a text gets an apostrophe before it, and so does what stands behind a
 * semicolon, a tab or a line end, which begin a new cell where a country separates by those. Numbers are no texts and keep their sign.
 */
const FORMULA = /^(?=[\t\r\n])|(^|[;\t\r\n])(?=\s{0,8}[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const NEEDS_QUOTES = /[",\r\n]/;

/** One cell: RFC 4180 quoting, and nothing that a spreadsheet takes for a formula. */
export function csvCell(value: string | number | boolean): string {
  if (typeof value !== "string") return String(value);
  const safe = value.replaceAll(FORMULA, "$1'");
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One record with its line end. */
export const csvLine = (cells: readonly (string | number | boolean)[]): string => `${cells.map(csvCell).join(",")}\r\n`;

/** Rows of one statement: a few milliseconds of a reader. */
const CHUNK_ROWS = 500;
/** Entries of an index that one statement looks at where not every one of them is a row of the export. */
const WINDOW_ENTRIES = 20_000;
/** The same where they lie in several parts of it and have to be sorted for each chunk. */
const SORTED_ENTRIES = 2_000;

/** Whether each entry of the index is a row of the export, in its order. */
function isDense(filter: LogFilter): boolean {
  const lead = leadOf(filter);
  return lead !== "ownerIds" && conditionCount(filter) === (lead === undefined ? 0 : 1);
}

const entriesAtOnce = (tracks: readonly LogFilter[]): number =>
  tracks.length > 1 ? Math.ceil(SORTED_ENTRIES / tracks.length) : WINDOW_ENTRIES;

/**
 * All rows of the filter, newest first, in chunks that each go on where the last one ended, by statements that each look at a bounded
 * piece of the log: none holds a reader or a connection for long. A chunk may be empty: the reader can stop
 * there as anywhere else, and then nothing more is read.
 */
export async function* rowsInChunks(database: Database, filter: LogFilter): AsyncGenerator<StoredLog[]> {
  const tracks = isDense(filter) ? [] : tracksOf(filter);
  let from: Place | undefined;
  for (;;) {
    const until = await windowEnd(database, tracks, from, entriesAtOnce(tracks));
    let rows: StoredLog[];
    do {
      rows = await readPage(database, idsBetween(database, filter, from, until), {
        limit: CHUNK_ROWS,
        end: from?.created_at ?? filter.end,
      });
      from = rows.at(-1) ?? from;
      yield rows;
    } while (rows.length === CHUNK_ROWS);
    if (until === undefined) return;
    from = until;
  }
}

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
  // In quota; blank where it is unknown.
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
