/** Tests of `turnpike support-bundle`: it has what helps, every tar opens it, and no secret, name, address or prompt is in it. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPTION_CATALOGUE } from "../../../../contract/src/options/catalogue.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type Ran, turnpike, turnpikeHere } from "../../../../tests/support/systems/command-line.ts";
import { type Site, makeSite } from "../../../../tests/support/systems/site.ts";
import { BLANK_ENTRY, logRow } from "../../billing/log-row.ts";
import { openDatabase } from "../../db/database.ts";
import { upsert } from "../../db/portable.ts";

/** Stands in everything that must not come out. */
const MARK = "LEAKED";
const KEY = `sk-${MARK}0123456789abcdef`;
const ENV = {
  REDIS_URL: `redis://:${MARK}@127.0.0.1:1`,
  METRICS_TOKEN: `${MARK}-metrics-token`,
  SETUP_CODE: `${MARK}-setup-code`,
  TRUSTED_PROXIES: "203.0.113.77",
};

async function seed(site: Site): Promise<void> {
  const database = await openDatabase(site.place.config);
  const { kysely } = database;
  const now = 1_800_000_000;
  try {
    const person = { display_name: MARK, remark: MARK, setting: `{"m":"${MARK}"}` };
    await kysely.updateTable("users").set(person).execute();
    await kysely
      .updateTable("users")
      .set({ email: `${MARK}@example.com` })
      .where("username", "=", "person0")
      .execute();
    await kysely.updateTable("tokens").set({ name: MARK, allow_ips: MARK }).execute();
    const channel = { name: MARK, base_url: `https://${MARK}.example`, other: MARK, param_override: MARK, tag: MARK };
    await kysely.updateTable("channels").set(channel).execute();
    for (const name of [...Object.keys(OPTION_CATALOGUE), `${MARK}Option`]) {
      const value = name === "SMTPServer" || name === "ServerAddress" ? "" : `${MARK} ${name}`;
      const row = { name, value, updated_time: now };
      await upsert(database, kysely, "options", row, ["name"], { value });
    }
    const receipts = [
      JSON.stringify({ status_code: 502, error_code: MARK, error: MARK, admin_info: { key: MARK } }),
      JSON.stringify({ status_code: MARK, error_code: { deep: MARK } }),
      `${MARK} is no JSON`,
    ];
    for (const [index, other] of receipts.entries())
      await kysely
        .insertInto("logs")
        .values(
          logRow({
            ...BLANK_ENTRY,
            type: 5,
            requestId: `${MARK}-${index}`,
            createdAt: now + index,
            username: MARK,
            tokenName: MARK,
            modelName: MARK,
            ip: "198.51.100.9",
            content: `${MARK} prompt`,
            other,
          }),
        )
        .execute();
  } finally {
    await database.close();
  }
}

describe.each(await engines())("on %s", (engine) => {
  let site: Site;
  let path: string;
  let ran: Ran;
  const fileOf = (name: string): string =>
    execFileSync("tar", ["-xzOf", path, `turnpike-support/${name}.json`], { encoding: "utf8" });
  const jsonOf = <Content>(name: string): Content => JSON.parse(fileOf(name)) as Content;

  beforeAll(async () => {
    site = await makeSite(engine, { upstreamUrl: "http://127.0.0.1:9", quotas: [1_000], channelKey: KEY });
    await seed(site);
    path = join(site.place.config.dataDir, "bundle.tar.gz");
    ran = await turnpike({ ...site.env, ...ENV }, "support-bundle", path, "--json");
  });
  afterAll(() => site.remove());

  test("it is written, for its owner alone, and never over another file", async () => {
    expect(ran).toMatchObject({ code: 0 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeFile(`${path}.other`, "kept");
    const again = await turnpikeHere(site.env, "support-bundle", `${path}.other`);
    expect([again.code, again.complaint]).toEqual([1, expect.stringContaining("EEXIST")]);
  });

  test("nothing that was seeded is in it, nor what the site is opened with", () => {
    const whole = execFileSync("tar", ["-xzOf", path], { encoding: "utf8" });
    expect(whole.length).toBeGreaterThan(2_000);
    const { secretKey = "", databaseUrl } = site.place.config;
    const password = databaseUrl === undefined ? "" : new URL(databaseUrl).password;
    const own = ["root", "person0", "203.0.113.77", "198.51.100.9", secretKey, site.people[0]?.key ?? "", password];
    for (const secret of [MARK, ...own].filter((text) => text !== "")) expect(whole).not.toContain(secret);
  });

  test("it tells what helps: findings, versions, counts, switches, and how the last calls failed", () => {
    const { checks } = jsonOf<{ checks: { name: string; status: string }[] }>("doctor");
    expect(checks).toContainEqual(expect.objectContaining({ name: "redis", status: "warn" }));
    expect(jsonOf("versions")).toMatchObject({ node: process.versions.node });
    expect(jsonOf("configuration")).toMatchObject({
      engine: engine === "sqlite" ? "sqlite" : new URL(site.place.config.databaseUrl ?? "").protocol.slice(0, -1),
      workers: 1,
      secretKey: "set",
      metricsToken: "set",
      trustedProxies: "1 entries",
      limits: { bodyBytes: 33_554_432 },
    });
    expect(jsonOf("tables")).toMatchObject({ users: 2, tokens: 1, channels: 1, setups: 1 });
    expect(jsonOf("options")).toMatchObject({ SMTPToken: expect.stringMatching(/^set, \d+ characters$/) });
    const errors = jsonOf<object[]>("errors");
    expect(errors.map((error) => "kind" in error && error.kind)).toEqual(["refused", "refused", "upstream"]);
    expect(errors[2]).toMatchObject({ time: "2027-01-15T08:00:00.000Z", status: 502 });
  });
});

test("a system whose database is away has a bundle that says so", async () => {
  const site = await makeSite("sqlite", { upstreamUrl: "http://127.0.0.1:9", quotas: [] });
  const path = join(site.place.config.dataDir, "away.tar.gz");
  const away = { DATABASE_URL: `postgres://turnpike:${MARK}@127.0.0.1:1/turnpike` };
  expect(await turnpike({ ...site.env, ...away }, "support-bundle", path)).toMatchObject({ code: 0 });
  expect(existsSync(path)).toBe(true);
  const whole = execFileSync("tar", ["-xzOf", path], { encoding: "utf8" });
  expect(whole).toContain("ECONNREFUSED");
  expect(whole).not.toContain(MARK);
  await site.remove();
});
