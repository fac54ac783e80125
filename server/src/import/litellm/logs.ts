/** LiteLLM's spend log in the columns of new-api's log: what was called, by which key, through which deployment, and what it cost. */
import { momentIn, numberIn, textIn } from "../cells.ts";
import { createHash } from "node:crypto";
import type { Between, Source, SourceRow } from "../source.ts";
import { channelName } from "./deployments.ts";
import { userName } from "./people.ts";
import type { Staging } from "./staging.ts";
import { NOTHING, quotaOf, readUsd, type Usd } from "./usd.ts";

interface LogContext {
  source: Source;
  staging: Staging;
  unit: Usd;
}

const PAGE_ROWS = 500;
/** Without the texts of calls and answers. */
const COLUMNS =
  `request_id api_key spend prompt_tokens completion_tokens startTime endTime request_duration_ms completionStartTime model
  model_id model_group user status requester_ip_address`.split(/\s+/);

/** Milliseconds of a time without zone, which is UTC. */
const millisecondsIn = (row: SourceRow, column: string): number => {
  const text = textIn(row, column);
  return text === "" ? Number.NaN : Date.parse(`${text.replace(" ", "T")}Z`);
};

const between = (from: number, to: number): number => (to > from ? Math.round(to - from) : 0);

/** Names a row by the id of the call, which may have any length. */
const rowName = (row: SourceRow): string =>
  createHash("sha256")
    .update(row["request_id"] ?? "")
    .digest("hex")
    .slice(0, 32);

function translated(row: SourceRow, { staging, unit }: LogContext): SourceRow {
  const token = staging.tokenByKey(textIn(row, "api_key").toLowerCase());
  const start = millisecondsIn(row, "startTime");
  const firstToken = between(start, millisecondsIn(row, "completionStartTime"));
  const duration = numberIn(row, "request_duration_ms") || between(start, millisecondsIn(row, "endTime"));
  const userId = token?.userId ?? staging.numberOf(userName(textIn(row, "user"))) ?? 0;
  return {
    id: rowName(row),
    user_id: String(userId),
    created_at: String(momentIn(row, "startTime") ?? 0),
    type: textIn(row, "status") === "failure" ? "5" : "2",
    username: token?.username ?? textIn(row, "user"),
    token_id: String(token?.id ?? 0),
    token_name: token?.name ?? "",
    model_name: textIn(row, "model_group") || textIn(row, "model"),
    quota: String(quotaOf(readUsd(row["spend"]) ?? NOTHING, unit).quota),
    prompt_tokens: row["prompt_tokens"] ?? null,
    completion_tokens: row["completion_tokens"] ?? null,
    elapsed_time: String(duration),
    channel_id: String(staging.numberOf(channelName(textIn(row, "model_id"))) ?? 0),
    ip: row["requester_ip_address"] ?? null,
    other: JSON.stringify(firstToken > 0 && firstToken < duration ? { frt: firstToken } : {}),
  };
}

/** Seconds as a text that PostgreSQL compares with a time without zone. */
const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace("T", " ").replace("Z", "");

/** Later than any day that has a text. */
const LAST_SECOND = 253_402_300_799;

/** A time as PostgreSQL prints it, and nothing that could end a literal. */
const TIME = /^[\d :.-]{10,32}$/;

function rangeOf({ from, before }: Pick<Between, "from" | "before">): string {
  const [first, last] = [Math.max(0, from), Math.min(before, LAST_SECOND)].map(timeOf);
  return `"startTime" >= '${first}' AND "startTime" < '${last}'`;
}

/** The rows of the range as `Source.between` gives them, in the order of their time. */
export async function logsOf(context: LogContext, wanted: Pick<Between, "from" | "before">) {
  const { source } = context;
  const range = rangeOf(wanted);
  const there = source.tables.get("LiteLLM_SpendLogs") ?? [];
  const columns = COLUMNS.filter((column) => there.includes(column)).map((column) => `"${column}"`);
  const [counted] = await source.select(`SELECT COUNT(*) AS total FROM "LiteLLM_SpendLogs" WHERE ${range}`);
  const select = `SELECT ${columns.join(", ")} FROM "LiteLLM_SpendLogs" WHERE ${range}`;
  const end = `ORDER BY "startTime", "request_id" LIMIT ${PAGE_ROWS}`;
  async function* pages(): AsyncGenerator<readonly SourceRow[]> {
    let rows = await source.select(`${select} ${end}`);
    while (rows.length > 0) {
      yield rows.map((row) => translated(row, context));
      const last = rows.at(-1);
      const time = last?.["startTime"] ?? "";
      if (rows.length < PAGE_ROWS || !TIME.test(time)) return;
      rows = await source.select(
        `${select} AND ("startTime", "request_id") > ('${time}', ?) ${end}`,
        last?.["request_id"] ?? "",
      );
    }
  }
  return { total: Number(counted?.["total"] ?? 0), pages: pages() };
}
