/** Migration 8: call statistics by hour, of channels and models and of tokens. Earlier calls in the log are counted in the background. */
import type { Engine } from "../database.ts";
import { quoteText } from "../session.ts";
import type { LockedSession } from "../session.ts";
import { type Column, integer, tableDdl, type TableDefinition, text } from "./columns.ts";
import { createIndex } from "./steps.ts";
import type { Migration, Step } from "./steps.ts";

const KINDS = [
  "key_refused",
  "rate_limited",
  "timeout",
  "upstream",
  "broken_off",
  "no_channel",
  "gateway",
  "refused",
] as const;
const BUCKETS = 48;

const zeros = (names: readonly string[]): Record<string, Column> =>
  Object.fromEntries(names.map((name) => [name, integer(0)]));
const buckets = (of: string): string[] =>
  Array.from({ length: BUCKETS }, (_, bucket) => `${of}_${String(bucket).padStart(2, "0")}`);
const counts = ["succeeded", ...KINDS.map((kind) => `failed_${kind}`)];

const callHoursTable: TableDefinition = {
  name: "call_hours",
  columns: {
    hour: integer(),
    channel_id: integer(),
    model: text(255),
    ...zeros([...counts, ...buckets("first_token"), ...buckets("total")]),
  },
  primaryKey: ["hour", "channel_id", "model"],
};

const tokenCallHoursTable: TableDefinition = {
  name: "token_call_hours",
  columns: {
    hour: integer(),
    user_id: integer(),
    token_id: integer(),
    ...zeros([...counts, "first_token_count", "first_token_ms", "total_ms"]),
  },
  primaryKey: ["hour", "user_id", "token_id"],
};

/** On SQLite the rows are stored in key order, in one B-tree. */
const createSorted = (table: TableDefinition): Step => ({
  name: `create table ${table.name}`,
  run: (session, engine) =>
    session.run(engine === "sqlite" ? `${tableDdl(engine, table)} WITHOUT ROWID` : tableDdl(engine, table)),
});

/** Rows of the log up to this id were written before calls were counted; jobs/call-hours-fill.ts counts them. */
const FILL_FACT = "call_hours_fill";

async function markLog(session: LockedSession, _engine: Engine): Promise<void> {
  const fact = quoteText(FILL_FACT);
  if ((await session.all(`SELECT 1 FROM facts WHERE name = ${fact}`)).length > 0) return;
  const [newest] = await session.all("SELECT MAX(id) AS id FROM logs");
  await session.run(`INSERT INTO facts (name, value) VALUES (${fact}, '${Number(newest?.["id"] ?? 0)}')`);
}

export const callHours: Migration = {
  id: 8,
  name: "call hours",
  steps: [
    createSorted(callHoursTable),
    createSorted(tokenCallHoursTable),
    createIndex("token_call_hours", ["user_id", "hour"]),
    { name: "mark the log that is to be counted", run: markLog },
  ],
};
