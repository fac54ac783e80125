/** Migration 4: on SQLite the roll-up is stored in the order in which the dashboard sums it, as one B-tree instead of a table and an index. */
import { createIndex } from "./steps.ts";
import type { Migration, Step } from "./steps.ts";
import { integer, tableDdl, text } from "./columns.ts";

const TABLE = "usage_hours";
const SORTED = "usage_hours_sorted";
const KEY = ["hour", "model", "channel_id", "user_id", "token_id", "group_name"];
const SUMS = ["requests", "quota", "prompt_tokens", "completion_tokens"];

/** Sums by hour and model, and then by channel, need no sorting. */
const sorted = tableDdl("sqlite", {
  name: SORTED,
  columns: {
    hour: integer(),
    model: text(255),
    channel_id: integer(),
    user_id: integer(),
    token_id: integer(),
    group_name: text(64),
    ...Object.fromEntries(SUMS.map((name) => [name, integer(0)])),
  },
  primaryKey: KEY,
});
const COLUMNS = [...KEY, ...SUMS].join(", ");

/** The other engines sum in memory, in any order. */
const onSqlite = (name: string, run: Step["run"]): Step => ({
  name,
  run: async (session, engine) => {
    if (engine === "sqlite") await run(session, engine);
  },
});

const hasTable = `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '${SORTED}'`;

export const usageOrder: Migration = {
  id: 4,
  name: "usage order",
  steps: [
    onSqlite(`create table ${SORTED}`, (session) => session.run(`${sorted} WITHOUT ROWID`)),
    onSqlite(`fill ${SORTED}`, (session) =>
      session.run(
        `INSERT OR IGNORE INTO ${SORTED} (${COLUMNS}) SELECT ${COLUMNS} FROM ${TABLE} ORDER BY ${KEY.join(", ")}`,
      ),
    ),
    onSqlite(`drop ${TABLE}`, (session) => session.run(`DROP TABLE IF EXISTS ${TABLE}`)),
    onSqlite(`rename ${SORTED}`, async (session) => {
      if ((await session.all(hasTable)).length > 0) await session.run(`ALTER TABLE ${SORTED} RENAME TO ${TABLE}`);
    }),
    createIndex(TABLE, ["user_id", "hour"]),
  ],
};
