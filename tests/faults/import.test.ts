/** An import by the command line: sums equal, old keys answered and billed, old passwords and codes good, the books balanced, and the same after kills. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startApp } from "../../server/src/app.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { createTestPlace, engines, type TestPlace } from "../support/databases/databases.ts";
import { turnpike, turnpikeHere } from "../support/systems/command-line.ts";
import { environmentOf, importedContent, importWithKills } from "../support/old-systems/killed-imports.ts";
import { makeOldGateway, NEW_API, type OldGateway } from "../support/old-systems/old-gateway.ts";
import { newApiRows, OLD_CODE, OLD_KEYS, OLD_PASSWORD, OLD_PRICE } from "../support/old-systems/old-rows.ts";
import { fewer } from "../support/soak/short-or-long.ts";
import { startServer } from "../support/systems/processes.ts";
import { setupForm, TestClient } from "../support/systems/server.ts";
import { dataOf, loggedIn, openTestLedger } from "../support/systems/site.ts";

const HERE = await engines();

/** So many more people and tokens that a kill comes while they do; an import reads 3,000 at once, so that whole runs have a second page of them. */
const MANY = fewer(3_200, 2_400);

function manyRows(upstreamUrl: string) {
  const rows = newApiRows(upstreamUrl);
  const [, pattern] = rows["tokens"] ?? [];
  const [, , person] = rows["users"] ?? [];
  const ids = Array.from({ length: MANY }, (_, index) => 100 + index);
  const users = ids.map((id) => ({
    ...person,
    id,
    username: `many${id}`,
    email: "",
    github_id: "",
    telegram_id: "",
    aff_code: `m${id}`,
  }));
  const tokens = ids.map((id) => ({
    ...pattern,
    id,
    user_id: id,
    key: `many${String(id).padStart(44, "0")}`,
    used_quota: id,
  }));
  return { ...rows, users: [...(rows["users"] ?? []), ...users], tokens: [...(rows["tokens"] ?? []), ...tokens] };
}

describe.each(HERE)("an old gateway on %s", (engine) => {
  let upstream: FakeUpstream;
  let old: OldGateway;
  const places: TestPlace[] = [];
  const emptyPlace = async (): Promise<TestPlace> => {
    const place = await createTestPlace(engine, { isEmpty: true });
    places.push(place);
    return place;
  };

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    old = await makeOldGateway(engine, NEW_API, newApiRows(upstream.url));
  });
  afterAll(async () => {
    await upstream.close();
    await old.remove();
    for (const place of places) await place.remove();
  });

  test("moves in: a dry run writes nothing, old keys are answered and billed, and old passwords and codes are good", async () => {
    const place = await emptyPlace();
    const env = environmentOf(place);
    const dry = await turnpike(env, "import", old.address, "--dry-run", "--json");
    expect([dry.code, JSON.parse(dry.out)]).toMatchObject([
      0,
      { dry_run: true, system: "new-api", tables: { users: { brought: 9 } } },
    ]);
    expect((await turnpikeHere(env, "migrate", "--check")).code).toBe(1);
    const ran = await turnpike(env, "import", old.address, "--json");
    expect([ran.code, ran.complaint]).toEqual([0, ""]);
    const { sums, faults } = JSON.parse(ran.out) as { sums: { isEqual: boolean }[]; faults: unknown[] };
    expect([sums.length, sums.every(({ isEqual }) => isEqual), faults]).toEqual([7, true, []]);
    expect(await turnpikeHere(env, "audit")).toMatchObject({ code: 0 });

    const server = await startServer(env);
    try {
      for (const [key, status] of [
        [OLD_KEYS.dashed, 200],
        [OLD_KEYS.long, 200],
        [OLD_KEYS.padded, 200],
        [OLD_KEYS.plain, 200],
        ["Address0123456789Address0123456789Address0123456", 401],
        ["DanglingDanglingDanglingDanglingDanglingDangling", 401],
        ["DeletedDeletedDeletedDeletedDeletedDeletedDelete", 401],
      ] as const) {
        const answer = await fetch(`${server.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer sk-${key}`, "content-type": "application/json" },
          body: JSON.stringify({ model: "fixed-model", messages: [{ role: "user", content: "hi" }] }),
        });
        expect([key, answer.status, (await answer.text()).length > 0]).toEqual([key, status, true]);
      }
      const ada = await loggedIn(server.url, "ada", OLD_PASSWORD);
      const self = () =>
        dataOf<{ quota: number; used_quota: number; request_count: number }>(ada.get("/api/user/self"));
      const spent = (3 * OLD_PRICE) / 2;
      expect(await self()).toMatchObject({ quota: 123_456_789 - spent, used_quota: 7_000 + spent, request_count: 73 });
      expect(await dataOf<unknown>(ada.post("/api/user/topup", { key: OLD_CODE }))).toBeTruthy();
      expect(await self()).toMatchObject({ quota: 123_456_789 - spent + 5_000 });
      const root = await loggedIn(server.url, "root", OLD_PASSWORD);
      expect(await dataOf<unknown>(root.get("/api/channel"))).toBeTruthy();
      const other = new TestClient(server.url);
      expect((await other.login("ADA", "another password 8")).body.success).toBe(false);
    } finally {
      await server.end();
    }
    expect(await turnpikeHere(env, "audit")).toMatchObject({ code: 0 });
    const again = await turnpikeHere(env, "import", old.address, "--json");
    expect([again.code, JSON.parse(again.out)]).toMatchObject([
      0,
      { tables: { users: { brought: 0 }, tokens: { brought: 0 } } },
    ]);
    expect(await turnpike(env, "audit")).toMatchObject({ code: 0 });
  });

  test("moves in beside the super administrator of the set-up, who keeps number, name and balance", async () => {
    const place = await emptyPlace();
    const env = environmentOf(place);
    const app = await startApp(place.config, {
      logger: createLogger({ level: "silent" }),
      webDirectory: join(place.config.dataDir, "no-web"),
    });
    await dataOf(new TestClient(app.url).post("/api/setup", await setupForm(app)));
    await app.close();
    const ran = await turnpikeHere(env, "import", old.address, "--json");
    expect([ran.code, ran.complaint]).toEqual([0, ""]);
    const ledger = await openTestLedger({ engine, place });
    const users = await ledger.rows("SELECT id, username, role, quota FROM users WHERE role = 100 ORDER BY id");
    const [own] = await ledger.rows("SELECT user_id FROM tokens WHERE id = 1");
    const [inviter] = await ledger.rows("SELECT inviter_id FROM users WHERE id = 2");
    await ledger.close();
    expect(users.map(({ username, quota }) => [username, Number(quota)])).toEqual([
      ["root", 100_000_000],
      ["root_1", 100_000_000],
    ]);
    expect([Number(own?.["user_id"]), Number(inviter?.["inviter_id"])]).toEqual([
      Number(users[1]?.["id"]),
      Number(users[1]?.["id"]),
    ]);
    expect(await turnpikeHere(env, "audit")).toMatchObject({ code: 0 });
  });

  test("is refused where accounts are, where it cannot be read, and where no key is set", async () => {
    const place = await emptyPlace();
    const env = environmentOf(place);
    expect(await turnpikeHere(env, "import", old.address)).toMatchObject({ code: 0 });
    const another = await makeOldGateway(engine, NEW_API, { ...newApiRows(upstream.url), options: [] });
    try {
      const refused = [
        await turnpikeHere(env, "import", another.address),
        await turnpikeHere(env, "import", "/no/such/file.db"),
        await turnpikeHere(env, "import", "mysql://person:hidden-word@127.0.0.1:1/name"),
        await turnpikeHere(env, "import"),
        await turnpikeHere(env, "import", old.address, "--log-source", old.address),
      ];
      expect(refused.map(({ code, out, complaint }) => [code, out, complaint.split("\n")[0]])).toEqual([
        [1, "", "The database was filled from another system or place: use an empty one"],
        [1, "", expect.stringContaining("There is no file /no/such/file.db")],
        [1, "", expect.stringContaining("cannot be opened")],
        [2, "", "turnpike import takes <source>"],
        [1, "", "--log-source says where the days of --logs are: name them too"],
      ]);
      expect(refused.map(({ complaint }) => complaint).join("")).not.toContain("hidden-word");
    } finally {
      await another.remove();
    }
  });

  test("is the same after an import that was killed at several points and begun again", async () => {
    const many = await makeOldGateway(engine, NEW_API, manyRows(upstream.url));
    try {
      const [whole, killed] = [await emptyPlace(), await emptyPlace()];
      const startedMs = performance.now();
      expect(await turnpike(environmentOf(whole), "import", many.address)).toMatchObject({ code: 0 });
      const killedAt = await importWithKills(environmentOf(killed), [many.address], performance.now() - startedMs);
      expect(killedAt.length).toBeGreaterThan(0);
      expect(await turnpikeHere(environmentOf(killed), "import", many.address)).toMatchObject({ code: 0 });
      const ledgers = [await openTestLedger({ engine, place: whole }), await openTestLedger({ engine, place: killed })];
      const [expected, found] = await Promise.all(ledgers.map(importedContent));
      for (const ledger of ledgers) {
        expect((await ledger.audit()).faults).toEqual([]);
        await ledger.close();
      }
      expect(found, `killed after ${killedAt.join(", ")} ms`).toEqual(expected);
    } finally {
      await many.remove();
    }
  });
});
