/** Tests of the embedded engine: one process, atomic batches with priority, and transactions that cannot block the ledger. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { awakeMs } from "../../../../tests/support/clients/awake-clock.ts";
import { openTestDatabase } from "../../../../tests/support/databases/databases.ts";
import type { TestDatabase } from "../../../../tests/support/databases/databases.ts";
import { openDatabase } from "../database.ts";
import { openSqlite, writerGate } from "./sqlite.ts";

const MODULE = `
export function prepare(database) {
  const insert = database.prepare("INSERT INTO facts (name, value) VALUES (?, ?)");
  const count = database.prepare("SELECT count(*) AS count FROM facts WHERE name LIKE ?");
  return ({ names, fail }) => {
    for (const name of names) insert.run(name, "batch");
    if (fail) throw new Error("the batch failed");
    return count.get("batch-%").count;
  };
}`;

let folder: string;
let opened: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-module-"));
  await writeFile(join(folder, "batch.mjs"), MODULE);
  opened = await openTestDatabase("sqlite", { writerModules: { batch: pathToFileURL(join(folder, "batch.mjs")) } });
});
afterAll(async () => {
  await opened.close();
  await rm(folder, { recursive: true });
});

const call = (payload: unknown) => {
  const { sqlite } = opened.database;
  if (sqlite === undefined) throw new Error("not SQLite");
  return sqlite.call("batch", payload);
};
const factNames = async (prefix: string) =>
  (
    await opened.database.kysely
      .selectFrom("facts")
      .select("name")
      .where("name", "like", `${prefix}%`)
      .orderBy("name")
      .execute()
  ).map(({ name }) => name);

test("a batch is committed whole when its call resolves", async () => {
  expect(await call({ names: ["batch-1", "batch-2"] })).toBe(2);
  expect(await factNames("batch-")).toEqual(["batch-1", "batch-2"]);
});

test("a batch that throws is rolled back, passes its error on, and the next one works", async () => {
  await expect(call({ names: ["torn-1"], fail: true })).rejects.toThrow("the batch failed");
  await expect(call({ names: ["torn-2", "batch-1"] })).rejects.toMatchObject({ errcode: 1555 });
  expect(await factNames("torn-")).toEqual([]);
  expect(await call({ names: [] })).toBe(2);
});

test("an unknown batch module and a payload that cannot cross are refused, nothing hangs", async () => {
  await expect(opened.database.sqlite?.call("nobody", {})).rejects.toThrow("no batch module");
  await expect(call({ names: () => [] })).rejects.toThrow(/could not be cloned/);
});

test("a batch waits for an open transaction and then goes before every other writer", async () => {
  const order: string[] = [];
  const write = (name: string) =>
    opened.database.kysely
      .insertInto("facts")
      .values({ name: `order-${name}`, value: "" })
      .execute();
  const waiting: Promise<unknown>[] = [];
  await opened.database.kysely.transaction().execute(async (transaction) => {
    await transaction.insertInto("facts").values({ name: "order-first", value: "" }).execute();
    waiting.push(write("write").then(() => order.push("write")));
    waiting.push(
      opened.database.kysely
        .transaction()
        .execute((next) => next.selectFrom("facts").selectAll().execute())
        .then(() => order.push("transaction")),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    waiting.push(call({ names: [] }).then(() => order.push("batch")));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(order).toEqual([]);
  });
  await Promise.all(waiting);
  expect(order[0]).toBe("batch");
  expect(order).toHaveLength(3);
});

test("batches keep their pace beside a loop of transactions", async () => {
  let isLooping = true;
  const loop = async () => {
    for (; isLooping;)
      await opened.database.kysely
        .transaction()
        .execute((next) => next.updateTable("facts").set({ value: "x" }).where("name", "=", "order-first").execute());
  };
  const loops = Promise.all([loop(), loop(), loop()]);
  const startedMs = awakeMs();
  for (let index = 0; index < 50; index += 1) await call({ names: [] });
  const elapsedMs = awakeMs() - startedMs;
  isLooping = false;
  await loops;
  expect(elapsedMs).toBeLessThan(5_000);
});

test("a transaction that stays open too long loses the writer and cannot commit", async () => {
  const rolledBack: number[] = [];
  const gate = writerGate(200, async (transaction) => rolledBack.push(transaction));
  const transaction = await gate.enter();
  const batch = gate.batch(async () => "done");
  expect(await batch).toBe("done");
  expect(rolledBack).toEqual([transaction]);
  gate.leave(transaction); // The late end of a lost transaction must not release the next one's place.
  const next = await gate.enter();
  gate.leave(transaction);
  let isFree = false;
  const third = gate.enter().then((number) => {
    isFree = true;
    gate.leave(number);
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isFree).toBe(false);
  gate.leave(next);
  await third;
});

test("a transaction whose time is over is rolled back, and its later statements and its commit are refused", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "turnpike-limit-"));
  const limited = await openSqlite({ dataDir, writerModules: {}, onDeath: () => undefined, transactionLimitMs: 500 });
  const { kysely } = limited;
  await sql`create table facts (name text primary key, value text)`.execute(kysely);
  const transaction = await kysely.startTransaction().execute();
  await transaction.insertInto("facts").values({ name: "late-1", value: "" }).execute();
  // It runs when the time of the transaction is over.
  await kysely.insertInto("facts").values({ name: "next", value: "" }).execute();
  await expect(transaction.insertInto("facts").values({ name: "late-2", value: "" }).execute()).rejects.toThrow(
    "not open any more",
  );
  await expect(transaction.commit().execute()).rejects.toThrow("not open any more");
  expect(await kysely.selectFrom("facts").select("name").execute()).toEqual([{ name: "next" }]);
  await kysely.destroy();
  await rm(dataDir, { recursive: true });
});

test("readers answer while the writer is inside a transaction", async () => {
  await opened.database.kysely.transaction().execute(async (transaction) => {
    await transaction.updateTable("facts").set({ value: "y" }).where("name", "=", "order-first").execute();
    const reads = Array.from({ length: 40 }, () => opened.database.kysely.selectFrom("versions").selectAll().execute());
    expect(await Promise.all(reads)).toHaveLength(40);
  });
});

test("the database is durable and safe: WAL, synchronous FULL", async () => {
  const journal = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(opened.database.kysely);
  const synchronous = await sql<{ synchronous: number }>`pragma synchronous`.execute(opened.database.kysely);
  expect([journal.rows[0]?.journal_mode, synchronous.rows[0]?.synchronous]).toEqual(["wal", 2]);
});

test("after a batch that is synced later every other write waits for the disk again", async () => {
  const { sqlite, kysely } = opened.database;
  await sqlite?.callUnsynced("batch", { names: ["later-1"] });
  const synchronous = await sql<{ synchronous: number }>`pragma synchronous`.execute(kysely);
  expect(synchronous.rows[0]?.synchronous).toBe(2);
  await sqlite?.sync();
  expect(await factNames("later-")).toEqual(["later-1"]);
});

test("a pause empties a write-ahead log that has grown large", async () => {
  const { dataDir } = opened.config;
  const logBytes = async () => (await stat(join(dataDir, "turnpike.db-wal"))).size;
  const value = "x".repeat(1_000_000);
  for (let index = 0; index < 34; index += 1)
    await opened.database.kysely
      .insertInto("facts")
      .values({ name: `large-${index}`, value })
      .execute();
  expect(await logBytes()).toBeGreaterThan(32 * 1024 * 1024);
  await expect.poll(logBytes, { timeout: 20_000 }).toBe(0);
});

test("a write-ahead log is copied at the latest after 64 MB, and what it grew beyond that is given back", async () => {
  const read = async (name: string): Promise<unknown> => {
    const { rows } = await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(opened.database.kysely);
    return Object.values(rows[0] ?? {})[0];
  };
  const pageBytes = Number(await read("page_size"));
  expect(Number(await read("wal_autocheckpoint")) * pageBytes).toBe(65_536_000);
  expect(await read("journal_size_limit")).toBe(65_536_000);
});

test("a second opening of the same folder is refused in one line", async () => {
  const error: unknown = await openDatabase(opened.config).catch((reason: unknown) => reason);
  expect(String(error)).toMatch(
    /^Error: Another process already runs on .*turnpike\.db: the embedded database belongs to exactly one$/,
  );
});

test("another process is refused, and the folder is free at once after kill -9", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "turnpike-lock-"));
  const script = `
    const { openDatabase } = await import(${JSON.stringify(new URL("../database.ts", import.meta.url).href)});
    await openDatabase({ dataDir: ${JSON.stringify(dataDir)} });
    console.log("open");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const config = { ...opened.config, dataDir };
  await expect(openDatabase(config)).rejects.toThrow("Another process already runs");
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
  const database = await openDatabase(config);
  await database.close();
  await rm(dataDir, { recursive: true });
});
