/** Tests of the encryption of proxy credentials at startup, on every engine: all plain ones of earlier versions, once, beside other processes and writers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, engines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import { SAMPLE_ROWS } from "../../../tests/engines/columns.ts";
import { openDatabase } from "./database.ts";
import { openProxy, proxyIn, sealProxy, sealStoredProxies } from "./proxy-login.ts";
import { bumpVersion } from "./versions.ts";

/** More than are sealed in one piece. */
const MANY = 430;
const settingOf = (proxy: string): string => JSON.stringify({ max_concurrency: 3, proxy });

describe.each(await engines())("on %s", (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  afterAll(() => opened.close());

  const store = async (settings: readonly string[]): Promise<void> => {
    const { kysely } = opened.database;
    await kysely.deleteFrom("channels").execute();
    const rows = settings.map((setting) => ({ ...SAMPLE_ROWS.channels, setting }));
    for (let from = 0; from < rows.length; from += 100)
      await kysely
        .insertInto("channels")
        .values(rows.slice(from, from + 100))
        .execute();
  };
  const stored = () => opened.database.kysely.selectFrom("channels").selectAll().orderBy("id").execute();
  const proxies = async () => (await stored()).map(({ setting }) => openProxy(opened.secrets, proxyIn(setting)));
  const version = async (): Promise<number> =>
    opened.database.kysely
      .selectFrom("versions")
      .select("version")
      .where("name", "=", "channels")
      .executeTakeFirstOrThrow()
      .then((row) => row.version);

  test("what stands in clear is sealed, all else stays, and a second start writes nothing", async () => {
    const plain = "socks5://anna:hidden-word@proxy.example:1080";
    const others = ["", settingOf("http://proxy.example"), settingOf(sealProxy(opened.secrets, plain)), '{"proxy":5}'];
    await store([...others, settingOf(plain), "no json"]);
    const before = await stored();
    expect(await sealStoredProxies(opened.database, opened.secrets)).toBe(1);
    const after = await stored();
    expect(JSON.stringify(after)).not.toMatch(/anna|hidden-word/);
    expect(await proxies()).toEqual(["", "http://proxy.example", plain, "", plain, ""]);
    expect(after.toSpliced(4, 1)).toEqual(before.toSpliced(4, 1));
    expect(after[4]).toEqual({ ...before[4], setting: after[4]?.setting });
    expect(JSON.parse(after[4]?.setting ?? "")).toMatchObject({ max_concurrency: 3 });
    const known = await version();
    expect(await sealStoredProxies(opened.database, opened.secrets)).toBe(0);
    expect([await stored(), await version()]).toEqual([after, known]);
  });

  test("of two processes that start at once each login is sealed by one", async () => {
    const plain = Array.from({ length: MANY }, (_, index) => `http://anna:word-${index}@proxy.example:3128`);
    await store(plain.map(settingOf));
    const other = engine === "sqlite" ? opened.database : await openDatabase(opened.config);
    const counts = await Promise.all(
      [opened.database, other].map((database) => sealStoredProxies(database, opened.secrets)),
    );
    if (other !== opened.database) await other.close();
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(MANY);
    expect(await proxies()).toEqual(plain);
    expect(JSON.stringify(await stored())).not.toContain("anna");
  });

  test("what a writer changes meanwhile is not undone", async () => {
    await store([settingOf("http://anna:old-word@proxy.example")]);
    const changed = settingOf(sealProxy(opened.secrets, "http://anna:new-word@other.example"));
    let sealing: Promise<number> | undefined;
    await opened.database.kysely.transaction().execute(async (transaction) => {
      await bumpVersion(transaction, "channels");
      sealing = sealStoredProxies(opened.database, opened.secrets);
      // Long enough for it to have read the channel as it is now.
      await new Promise((resolve) => setTimeout(resolve, 200));
      await transaction.updateTable("channels").set({ setting: changed }).execute();
    });
    expect(await sealing).toBe(0);
    expect((await stored()).map(({ setting }) => setting)).toEqual([changed]);
  });
});
