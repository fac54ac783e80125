/** Counts the calls of a log that is older than their counting (migration 8): newest first, chunk by chunk, each chunk once. */
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { failureKindOf } from "../../../contract/src/call-figures.ts";
import { LOG_TYPE } from "../../../contract/src/constants.ts";
import { isBrokenOff, readChargeRule } from "../../../contract/src/receipt-codes.ts";
import { receiptShorthand } from "../billing/shorthand.ts";
import { addCounts, CallCounts } from "../db/call-hours.ts";
import type { Database } from "../db/database.ts";
import { affectedRows } from "../db/portable.ts";
import { objectOf, parseJson, textOf } from "../util/json-read.ts";
import type { Job } from "./scheduler.ts";

const EVERY_SECONDS = 15;
/** Less than the interval, so that the lease holds: the rest comes with the next run. */
const RUN_MS = 12_000;
/** Rows of one transaction: on SQLite settlements wait for no longer. */
const CHUNK_ROWS = 250;
/** Ids left to count; migration 8 wrote it, and it is 0 once all is done. */
const FILL_FACT = "call_hours_fill";

interface LogCall {
  id: number;
  created_at: number;
  type: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  model_name: string;
  use_time_ms: number;
  first_token_ms: number;
  is_stream: number;
  /** The receipt of a failure, and of what broke off; empty for all others, which are most and long. */
  receipt: string;
}

/** The receipt of a charge says by what rule an answer that broke off was charged. */
const BROKEN = '%"rule":"%broke%';
const receiptColumn = sql<string>`case when type = ${sql.lit(LOG_TYPE.error)} or other like ${sql.lit(BROKEN)} then other else '' end`;

function readCalls({ kysely }: Database, upToId: number, most: number): Promise<LogCall[]> {
  return kysely
    .selectFrom("logs")
    .select(["id", "created_at", "type", "user_id", "token_id", "channel_id", "model_name"])
    .select(["use_time_ms", "first_token_ms", "is_stream", receiptColumn.as("receipt")])
    .where("id", "<=", upToId)
    .orderBy("id", "desc")
    .limit(most)
    .execute();
}

/** How a call failed, by its receipt; blank where that cannot be read. */
function faultOf(receipt: string): { status: number; code: string; isBroken: boolean } {
  // Without fields it is a row of an earlier version, or one that was cut: it failed all the same.
  const fields = objectOf(parseJson(receiptShorthand.read(receipt)));
  const { status_code: status, error_code: code } = fields;
  const rule = readChargeRule(fields["rule"]);
  return {
    status: typeof status === "number" ? status : 0,
    code: textOf(code),
    isBroken: rule !== undefined && isBrokenOff(rule),
  };
}

function count(counts: CallCounts, row: LogCall): void {
  const { created_at, user_id, token_id, channel_id, model_name } = row;
  const place = { createdAt: created_at, userId: user_id, tokenId: token_id, channelId: channel_id, model: model_name };
  if (row.type === LOG_TYPE.consumption) {
    if (row.receipt !== "" && faultOf(row.receipt).isBroken) counts.failed(place, "broken_off");
    else counts.succeeded(place, row.use_time_ms, row.is_stream === 1 ? row.first_token_ms : 0);
  }
  if (row.type !== LOG_TYPE.error) return;
  const { status, code } = faultOf(row.receipt);
  counts.failed(place, failureKindOf(status, code));
}

async function readMark({ kysely }: Database): Promise<number> {
  const row = await kysely.selectFrom("facts").select("value").where("name", "=", FILL_FACT).executeTakeFirst();
  return Number(row?.value ?? 0);
}

/** Counts one chunk and says where the next begins, in one transaction: of two processes with the same chunk one counts it. */
async function fillChunk(database: Database, mark: number, chunkRows: number): Promise<void> {
  const rows = await readCalls(database, mark, chunkRows);
  const counts = new CallCounts();
  for (const row of rows) count(counts, row);
  const next = rows.length < chunkRows ? 0 : (rows.at(-1)?.id ?? 1) - 1;
  await database.kysely.transaction().execute(async (transaction) => {
    const moved = await transaction
      .updateTable("facts")
      .set({ value: String(next) })
      .where("name", "=", FILL_FACT)
      .where("value", "=", String(mark))
      .executeTakeFirstOrThrow();
    if (affectedRows(moved) === 1) await addCounts(database, transaction, counts);
  });
}

/** The job, and what ends it after its current chunk; at most half of its time is work. */
export function callHoursFill(database: Database, chunkRows = CHUNK_ROWS): { job: Job; stop(): void } {
  let isStopped = false;
  const run = async () => {
    const end = performance.now() + RUN_MS;
    for (let mark = await readMark(database); mark > 0 && !isStopped && performance.now() < end;) {
      const started = performance.now();
      await fillChunk(database, mark, chunkRows);
      mark = await readMark(database);
      await delay(performance.now() - started);
    }
  };
  return { job: { name: "call_hours_fill", everySeconds: EVERY_SECONDS, run }, stop: () => void (isStopped = true) };
}
