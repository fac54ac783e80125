/** Tests of an export of 50,000 rows (200,000 in the long form, but on MySQL, which is slow to fill) on every engine: each row once whatever the filter, memory that does not grow with it, and nothing read for a caller who left. */
import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { BLANK_LOG } from "../../../../tests/support/checks/log-rows.ts";
import { IS_LONG } from "../../../../tests/support/soak/short-or-long.ts";
import { SAMPLE_ROWS } from "../../../../tests/engines/columns.ts";
import type { Engine } from "../../db/database.ts";
import { insertReturningId } from "../../db/portable.ts";
import { SESSION_COOKIE } from "../http/authenticate.ts";

const NOW = 1_800_000_000;
const ROWS_OF: Readonly<Record<Engine, number>> = IS_LONG
  ? { sqlite: 200_000, postgres: 200_000, mysql: 50_000 }
  : { sqlite: 50_000, postgres: 50_000, mysql: 50_000 };
const BASE = 5_000;
const STATEMENT = 500;
/** Characters of a receipt, as long as most are. */
const RECEIPT = 400;

const COPIED = sql.raw(
  "type, user_id, username, token_id, token_name, channel_id, model_name, group_name, quota, prompt_tokens, completion_tokens, use_time_ms, first_token_ms, is_stream, ip, content, other",
);

/** Engine's own word for whether anything still runs or holds a snapshot in this database. */
const BUSY: Readonly<Record<string, string>> = {
  postgres:
    "select count(*) as busy from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()",
  mysql:
    "select count(*) as busy from information_schema.processlist where db = database() and command <> 'Sleep' and id <> connection_id()",
  // A reader in the middle of a statement keeps the log of the writer from being emptied.
  sqlite: "pragma wal_checkpoint(truncate)",
};

/** Whose the tokens are: those of one name belong to two people. */
const OWNERS = [77, 78, 77];

const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
};

describe.each(await engines())("a large export on %s", { timeout: 180_000 }, (engine) => {
  const ROWS = ROWS_OF[engine];
  let site: TestConsole;
  let admin: Caller;
  let tokens: number[];

  const rowOf = (index: number) => ({
    ...BLANK_LOG,
    request_id: `r-${index}`,
    created_at: NOW - Math.floor(index / 3),
    type: index % 500 === 0 ? 5 : 2,
    user_id: OWNERS[index % 3] ?? 0,
    username: "somebody",
    token_id: tokens[index % 3] ?? 0,
    token_name: "shared",
    channel_id: 1 + (index % 4),
    model_name: index % 1000 === 0 ? "rare-model" : "gpt-a",
    group_name: "default",
    quota: 1,
    other: JSON.stringify({ text: "x".repeat(RECEIPT) }),
  });

  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => NOW * 1000);
    admin = await site.person(10);
    const { database } = site.context;
    const tokenOf = (name: string, index: number) => ({
      ...SAMPLE_ROWS.tokens,
      user_id: OWNERS[index] ?? 0,
      name,
      key_hash: `export-${index}`,
    });
    tokens = [];
    for (const [index, name] of ["shared", "shared", "alone"].entries())
      tokens.push(await insertReturningId(database, database.kysely, "tokens", tokenOf(name, index)));
    for (let first = 0; first < BASE; first += STATEMENT) {
      const rows = Array.from({ length: STATEMENT }, (_, index) => rowOf(first + index));
      await database.kysely.insertInto("logs").values(rows).execute();
    }
    for (let copy = 1; copy < ROWS / BASE; copy += 1)
      await sql`insert into logs (request_id, created_at, ${COPIED})
        select request_id, created_at - ${copy * 2000}, ${COPIED} from logs where created_at > ${NOW - 2000}`.execute(
        database.kysely,
      );
  }, 120_000);
  afterAll(() => site.close());

  const openExport = (query = ""): Promise<IncomingMessage> => {
    const headers = { Cookie: `${SESSION_COOKIE}=${admin.cookie}`, "New-Api-User": String(admin.userId) };
    return new Promise((resolve) => request(`${site.url}/api/log/export${query}`, { headers }, resolve).end());
  };

  /** Ids of all records in their order, and the most memory in use while they came. */
  async function idsOf(query: string, onProgress: (bytes: number) => void = () => undefined): Promise<number[]> {
    const answer = await openExport(query);
    const ids: number[] = [];
    let rest = "";
    let bytes = 0;
    for await (const part of answer as AsyncIterable<Buffer>) {
      bytes += part.length;
      const lines = (rest + part.toString("latin1")).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) ids.push(Number(line.slice(0, line.indexOf(","))));
      onProgress(bytes);
    }
    return ids.slice(1);
  }

  it("has each row once, newest first, and memory does not grow with it", async () => {
    collectGarbage();
    const inUse = (): number => {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = inUse();
    // Less may be in use than before the export: what earlier tests left is let go whenever the engine likes.
    let most = Number.NEGATIVE_INFINITY;
    let [measuredAt, total] = [0, 0];
    const ids = await idsOf("", (bytes) => {
      total = bytes;
      if (bytes - measuredAt < 10_000_000) return;
      measuredAt = bytes;
      collectGarbage();
      most = Math.max(most, inUse() - before);
    });
    expect(ids).toHaveLength(ROWS);
    expect(new Set(ids).size).toBe(ROWS);
    expect(total).toBeGreaterThan(ROWS * 500);
    expect(measuredAt).toBeGreaterThan(0);
    // The ids themselves are a few megabytes.
    expect(most).toBeLessThan(40_000_000);
  });

  it.each([
    ["several tokens of one name", "?token_name=shared", "token_id <> 0", 2 / 3],
    ["a pattern with few rows", "?model_name=rare%25", "model_name = 'rare-model'", 1 / 1000],
    ["two conditions", "?type=5&channel=1", "type = 5 and channel_id = 1", 1 / 500],
    ["a pattern that nothing fits", "?model_name=nobody%25", "model_name = 'nobody'", 0],
  ])("with %s has the rows of the filter, newest first", async (name, query, condition, share) => {
    const where = name === "several tokens of one name" ? `token_id in (${tokens.slice(0, 2).join(",")})` : condition;
    const statement = `select id from logs where ${where} order by created_at desc, id desc`;
    const { rows } = await sql.raw<{ id: number }>(statement).execute(site.context.database.kysely);
    expect(Math.abs(rows.length - ROWS * share)).toBeLessThan(100);
    expect(await idsOf(query)).toEqual(rows.map(({ id }) => id));
  });

  /** Calls `before` ahead of each read of the log, with how many there were before it. */
  async function whileReading(before: (reads: number) => Promise<void>, work: () => Promise<void>): Promise<number> {
    const executor = site.context.database.kysely.getExecutor();
    const original = executor.executeQuery.bind(executor);
    let reads = 0;
    executor.executeQuery = async (query) => {
      if (query.sql.includes("logs")) await before((reads += 1) - 1);
      return original(query);
    };
    await work().finally(() => (executor.executeQuery = original));
    return reads;
  }

  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it.each([
    ["in the middle of its rows", ""],
    ["while rows are looked for that are not there", "?model_name=nobody%25"],
  ])("reads nothing more for a caller who left %s, and leaves nothing open", async (_when, query) => {
    let answer: IncomingMessage | undefined;
    let isGone = false;
    const reads = await whileReading(
      async (before) => {
        if (isGone || before < 3) return;
        await expect.poll(() => answer).toBeDefined();
        answer?.destroy();
        isGone = true;
        // As long as the server may take to notice.
        await pause(200);
      },
      async () => {
        answer = await openExport(query);
        answer.resume();
        await once(answer, "close");
        await pause(500);
      },
    );
    // The one that was under way, and at most the one that followed before the connection was seen to be closed.
    expect(reads).toBeLessThanOrEqual(5);
    // The statement that was under way may still run, and the snapshot reads a little now and then.
    const busy = async (): Promise<number> => {
      const { rows } = await sql.raw<{ busy: number }>(BUSY[engine] ?? "").execute(site.context.database.kysely);
      return Number(rows[0]?.busy);
    };
    await expect.poll(busy).toBe(0);
  });
});
