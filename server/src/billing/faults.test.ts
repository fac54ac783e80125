/** Tests of the ledger under faults: several processes, a killed process, a database that is unavailable for a while. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { type TestPlace, createTestPlace, engines } from "../../../tests/support/databases/databases.ts";
import type { Config } from "../config.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrations/migrate.ts";
import { auditDatabase } from "./audit.ts";
import type { Billing, Hold } from "./billing.ts";
import { SQLITE_WRITER_MODULES } from "./engines/sqlite.ts";
import { readRefused } from "./journal.ts";
import { type Scene, openTestBilling, setScene, settlementOf, tryHold } from "./testing.ts";

const found = await engines();
const servers = found.filter((engine) => engine !== "sqlite");
const isHold = (hold: Hold | string): hold is Hold => typeof hold !== "string";
const open = (config: Config): Promise<Database> => openDatabase(config, { writerModules: SQLITE_WRITER_MODULES });

async function until(condition: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited too long for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const journalsIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((name) => name.includes(".journal"));

describe.each(servers)("two processes on one %s", (engine) => {
  test("200 holds at once, half from each, on a balance of 10 prices: exactly 10, and the books balance", async () => {
    const place = await createTestPlace(engine);
    const [first, second] = [await open(place.config), await open(place.config)];
    await migrate(first);
    const books = [
      await openTestBilling(first, place.config.dataDir),
      await openTestBilling(second, place.config.dataDir),
    ];
    const [one] = books;
    if (one === undefined) throw new Error("no books");
    const scene = await setScene(first, one, 1_000, 100_000);
    const calls = Array.from({ length: 200 }, async (_, index): Promise<Hold | string> => {
      const billing = books[index % 2] ?? one;
      const hold = await tryHold(billing, scene, 100);
      if (isHold(hold)) await billing.settle(hold, settlementOf(scene, hold.requestId, 100));
      return hold;
    });
    expect((await Promise.all(calls)).filter(isHold)).toHaveLength(10);
    expect(await one.available(scene.userId)).toBe(0);
    expect((await auditDatabase(first)).faults).toEqual([]);
    await Promise.all(books.map((billing) => billing.close()));
    await Promise.all([first.close(), second.close()]);
    await place.remove();
  });

  test("holds of a process that is gone are voided and logged as interrupted, those of a living one stay", async () => {
    const place = await createTestPlace(engine);
    const [first, second] = [await open(place.config), await open(place.config)];
    await migrate(first);
    // The first never says again that it lives.
    const gone = await openTestBilling(first, place.config.dataDir, { heartbeatMs: 1_000_000 });
    const living = await openTestBilling(second, place.config.dataDir, { heartbeatMs: 200, goneAfterSeconds: 1 });
    const scene = await setScene(first, gone, 1_000, 1_000);
    const lost = await tryHold(gone, scene, 300);
    await tryHold(living, scene, 200);
    await until(async () => (await living.available(scene.userId)) === 800, "the sweep");
    const logs = await second.kysely.selectFrom("logs").selectAll().where("type", "=", 4).execute();
    expect(logs.map(({ request_id, other }) => [request_id, JSON.parse(other)])).toEqual([
      [isHold(lost) ? lost.requestId : "", { event: { code: "call_interrupted", values: {} } }],
    ]);
    // It was not dead after all: its settlement is still posted, once.
    if (isHold(lost)) await gone.settle(lost, settlementOf(scene, lost.requestId, 250));
    expect(await living.available(scene.userId)).toBe(550);
    expect((await auditDatabase(first)).faults).toEqual([]);
    await Promise.all([gone.close(), living.close()]);
    await Promise.all([first.close(), second.close()]);
    await place.remove();
  });
});

const LOAD = fileURLToPath(new URL("./testing-load.ts", import.meta.url));

interface Load {
  /** Request id to charge, as the process said. */
  settled: Map<string, number>;
  kill(): Promise<void>;
}

/** Starts the load on the same database; `kill` is SIGKILL, which comes at the latest with the end of the test. */
function startLoad(config: Config, scene: Scene): Load {
  const env = {
    ...process.env,
    DATA_DIR: config.dataDir,
    ...(config.databaseUrl === undefined ? {} : { DATABASE_URL: config.databaseUrl }),
  };
  const child = spawn(process.execPath, [LOAD, JSON.stringify(scene)], {
    env: { ...env, SECRET_KEY: config.secretKey ?? "", LOG_LEVEL: "silent" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const settled = new Map<string, number>();
  let rest = "";
  child.stdout.on("data", (data: Buffer) => {
    const lines = (rest + data.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [outcome = "", requestId = "", charge = ""] = line.split(" ");
      if (outcome === "committed" || outcome === "journaled") settled.set(requestId, Number(charge));
    }
  });
  const end = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const kill = (): Promise<void> => {
    child.kill("SIGKILL");
    return end;
  };
  onTestFinished(kill);
  return { settled, kill };
}

describe.each(found)("kill -9 on %s", (engine) => {
  test(
    "with 120 calls in flight: what was settled is booked once, no hold stays, the books balance",
    { timeout: 180_000 },
    async () => {
      const place = await createTestPlace(engine);
      const before = await open(place.config);
      await migrate(before);
      const setup = await openTestBilling(before, place.config.dataDir);
      const scene = await setScene(before, setup, 1_000_000_000, 1_000_000_000);
      await setup.close();
      await before.close();
      const settled = new Map<string, number>();
      for (let round = 1; round <= 3; round += 1) {
        const load = startLoad(place.config, scene);
        await until(() => load.settled.size > 300, "settled calls");
        await load.kill();
        for (const [requestId, charge] of load.settled) settled.set(requestId, charge);
      }
      const database = await open(place.config);
      const billing = await openTestBilling(database, place.config.dataDir, { goneAfterSeconds: 1, heartbeatMs: 200 });
      const openHolds = async (): Promise<number> =>
        (await database.kysely.selectFrom("holds").select("id").execute()).length;
      await until(async () => (await openHolds()) === 0, "no open holds");
      const rows = await database.kysely
        .selectFrom("ledger")
        .select(["entry_id", "used_delta"])
        .where("kind", "=", "charge")
        .execute();
      const booked = new Map(rows.map((row) => [row.entry_id, row.used_delta]));
      expect([...settled].filter(([requestId, charge]) => booked.get(requestId) !== charge)).toEqual([]);
      const charged = rows.reduce((sum, row) => sum + row.used_delta, 0);
      expect(await billing.available(scene.userId)).toBe(1_000_000_000 - charged);
      expect((await auditDatabase(database)).faults).toEqual([]);
      await billing.close();
      await database.close();
      await place.remove();
    },
  );
});

interface Blockable {
  config: Config;
  block(): void;
  unblock(): void;
  end(): void;
}

/** The embedded database is blocked by a real lock on its file: the writer receives SQLITE_BUSY. */
function blockableFile(place: TestPlace): Blockable {
  const path = join(place.config.dataDir, "turnpike.db");
  let lock: DatabaseSync | undefined;
  return {
    config: place.config,
    block: () => {
      // Waits for the current writer.
      lock = new DatabaseSync(path, { timeout: 10_000 });
      lock.exec("BEGIN IMMEDIATE");
    },
    unblock: () => {
      lock?.exec("ROLLBACK");
      lock?.close();
    },
    end: () => {},
  };
}

/** A server is reached through a proxy, which drops every connection and takes no new one while it is blocked. */
async function blockableServer(place: TestPlace): Promise<Blockable> {
  const url = new URL(place.config.databaseUrl ?? "");
  const sockets = new Set<Socket>();
  let isBlocked = false;
  const proxy = createServer((client) => {
    if (isBlocked) return void client.destroy();
    const server = connect(Number(url.port), url.hostname);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String((proxy.address() as AddressInfo).port); // it listens on TCP
  return {
    config: { ...place.config, databaseUrl: through.href },
    block: () => {
      isBlocked = true;
      for (const socket of sockets) socket.destroy();
    },
    unblock: () => void (isBlocked = false),
    end: () => void proxy.close(),
  };
}

async function costsOf({ kysely }: Database) {
  const rows = await kysely.selectFrom("usage_hours").select(["quota", "cost", "costed_quota"]).execute();
  const sum = (name: "quota" | "cost" | "costed_quota") => rows.reduce((all, row) => all + row[name], 0);
  return { quota: sum("quota"), cost: sum("cost"), costed_quota: sum("costed_quota") };
}

describe.each(found)("a database that is gone, %s", (engine) => {
  async function start(): Promise<{
    place: TestPlace;
    gate: Blockable;
    database: Database;
    billing: Billing;
    scene: Scene;
  }> {
    const place = await createTestPlace(engine);
    const gate = engine === "sqlite" ? blockableFile(place) : await blockableServer(place);
    const database = await open(gate.config);
    await migrate(database);
    const billing = await openTestBilling(database, place.config.dataDir, { journalAfterMs: 500 });
    const scene = await setScene(database, billing, 100_000, 100_000);
    return { place, gate, database, billing, scene };
  }

  test(
    "settlements go to the journal, holds are refused, and all is booked exactly once when it is back",
    { timeout: 60_000 },
    async () => {
      const { place, gate, database, billing, scene } = await start();
      const holds = (await Promise.all(Array.from({ length: 20 }, () => tryHold(billing, scene, 100)))).filter(isHold);
      expect(holds).toHaveLength(20);
      expect(billing.figures).toMatchObject({ openHolds: 20, heldQuota: 2_000, journaled: 0 });
      gate.block();
      // The cost of every other one is known.
      const costOf = (index: number) => (index % 2 === 0 ? { cost: 11 } : {});
      const outcomes = await Promise.all(
        holds.map((hold, index) =>
          billing.settle(hold, { ...settlementOf(scene, hold.requestId, 60), ...costOf(index) }),
        ),
      );
      expect(outcomes).toEqual(holds.map(() => "journaled"));
      expect(billing.isHealthy).toBe(false);
      expect(billing.figures).toMatchObject({ openHolds: 0, heldQuota: 0, journaled: 20 });
      expect(await tryHold(billing, scene, 1)).toBe("unavailable");
      expect((await journalsIn(place.config.dataDir)).length).toBeGreaterThan(0);
      gate.unblock();
      await until(() => billing.isHealthy, "recovery");
      expect(billing.figures).toMatchObject({ waiting: 0, oldestMs: 0, journaled: 0 });
      expect(await journalsIn(place.config.dataDir)).toEqual([]);
      expect(await billing.available(scene.userId)).toBe(100_000 - 20 * 60);
      const settleAgain = () =>
        Promise.all(holds.map((hold) => billing.settle(hold, settlementOf(scene, hold.requestId, 60))));
      // A database that is slow to answer has them journaled once more; none is booked again.
      await expect
        .poll(async () => new Set(await settleAgain()), { timeout: 20_000 })
        .toEqual(new Set(["already_settled"]));
      await until(() => billing.figures.journaled === 0, "an empty journal");
      expect(await billing.available(scene.userId)).toBe(100_000 - 20 * 60);
      expect(await costsOf(database)).toEqual({ quota: 20 * 60, cost: 10 * 11, costed_quota: 10 * 60 });
      expect((await auditDatabase(database)).faults).toEqual([]);
      await billing.close();
      await database.close();
      gate.end();
      await place.remove();
    },
  );

  test(
    "a journaled settlement that the database refuses is kept with its reason, counted, and takes nothing from the balance",
    { timeout: 60_000 },
    async () => {
      const place = await createTestPlace(engine);
      const gate = engine === "sqlite" ? blockableFile(place) : await blockableServer(place);
      const database = await open(gate.config);
      await migrate(database);
      let refusals = 0;
      const onRefused = (): void => void (refusals += 1);
      const billing = await openTestBilling(database, place.config.dataDir, { journalAfterMs: 500, onRefused });
      const scene = await setScene(database, billing, 100_000, 100_000);
      const [good, bad] = [await tryHold(billing, scene, 100), await tryHold(billing, scene, 100)];
      if (!isHold(good) || !isHold(bad)) throw new Error("no hold");
      gate.block();
      // SQLite takes any number, but nothing that is none.
      const createdAt = engine === "sqlite" ? ({} as number) : 1e300;
      const refused = { ...settlementOf(scene, bad.requestId, 70), createdAt };
      const outcomes = [
        billing.settle(good, settlementOf(scene, good.requestId, 60)),
        billing.settle(bad, refused).catch((error: unknown) => String(error)),
      ];
      await Promise.all(outcomes);
      gate.unblock();
      await until(() => billing.isHealthy, "recovery");
      await until(async () => (await billing.available(scene.userId)) === 100_000 - 60, "the refused hold's end");
      expect(await readRefused(place.config.dataDir)).toMatchObject([
        {
          entryId: bad.requestId,
          userId: scene.userId,
          quota: 70,
          reason: expect.stringMatching(/range|bigint|bound/i) as string,
        },
      ]);
      expect(refusals).toBe(1);
      expect(await journalsIn(place.config.dataDir)).toEqual([]);
      expect((await auditDatabase(database)).faults).toEqual([]);
      await billing.close();
      await database.close();
      gate.end();
      await place.remove();
    },
  );

  test("a journal that a dead process left is replayed by the next one", { timeout: 60_000 }, async () => {
    const { place, gate, database, billing, scene } = await start();
    const hold = await tryHold(billing, scene, 100);
    if (!isHold(hold)) throw new Error(hold);
    const requestId = hold.requestId;
    await billing.settle(hold, settlementOf(scene, requestId, 40));
    await billing.close();
    await database.close();
    // As a process leaves it that dies while its database is gone, with a last line cut in half.
    const { Journal } = await import("./journal.ts");
    const { chargeEntry } = await import("./ledger-entry.ts");
    const journal = new Journal(place.config.dataDir, randomUUID(), {
      info: () => {},
      warn: () => {},
      error: () => {},
    });
    await journal.append(chargeEntry(settlementOf(scene, requestId, 40), undefined));
    // The last line is as a process wrote it that knew no costs.
    await journal.append(chargeEntry({ ...settlementOf(scene, randomUUID(), 30), cost: 17 }, undefined));
    await journal.append(chargeEntry(settlementOf(scene, randomUUID(), 25), undefined));
    await journal.close();
    const [name = ""] = await journalsIn(place.config.dataDir);
    const { appendFile } = await import("node:fs/promises");
    await appendFile(join(place.config.dataDir, name), '{"ledger":{"entryId":"half');
    const again = await open(gate.config);
    const next = await openTestBilling(again, place.config.dataDir);
    expect(await next.available(scene.userId)).toBe(100_000 - 40 - 30 - 25);
    expect(await costsOf(again)).toEqual({ quota: 95, cost: 17, costed_quota: 30 });
    expect(await journalsIn(place.config.dataDir)).toEqual([]);
    expect((await auditDatabase(again)).faults).toEqual([]);
    await next.close();
    await again.close();
    gate.end();
    await place.remove();
  });
});
