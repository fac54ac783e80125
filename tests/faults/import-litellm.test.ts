/** A LiteLLM moves in by the command line: its keys are answered from the first call on, their hash gives way to the key itself, and what was off stays off. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { createTestPlace, engines, type TestPlace } from "../support/databases/databases.ts";
import { isReachable, SERVERS } from "../support/databases/servers.ts";
import { turnpike, turnpikeHere } from "../support/systems/command-line.ts";
import { makeOldGateway, type OldGateway } from "../support/old-systems/old-gateway.ts";
import {
  LITELLM,
  LITELLM_KEYS,
  LITELLM_PASSWORD,
  litellmRows,
  SALT_KEY,
  sha256,
} from "../support/old-systems/old-litellm.ts";
import { startServer, until } from "../support/systems/processes.ts";
import { dataOf, loggedIn, openTestLedger } from "../support/systems/site.ts";

const HERE = await engines();

const call = (url: string, key: string, model = "gpt-4o") =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  }).then(async (answer) => ({ status: answer.status, text: await answer.text() }));

const statusesOf = async (url: string, keys: readonly string[]): Promise<number[]> => {
  const statuses: number[] = [];
  for (const key of keys) statuses.push((await call(url, key)).status);
  return statuses;
};

describe.skipIf(!(await isReachable(SERVERS.postgres))).each(HERE)("a LiteLLM into %s", (engine) => {
  let upstream: FakeUpstream;
  let old: OldGateway;
  let place: TestPlace;
  let folder: string;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    old = await makeOldGateway("postgres", LITELLM, litellmRows(upstream.url));
    place = await createTestPlace(engine, { isEmpty: true });
    folder = await mkdtemp(join(tmpdir(), "turnpike-salt-"));
    await writeFile(join(folder, "salt"), `${SALT_KEY}\n`);
  });
  afterAll(async () => {
    await upstream.close();
    await old.remove();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test("moves in, and its keys go on working as they did", async () => {
    const env = {
      ALLOW_PRIVATE_UPSTREAMS: "1",
      GLOBAL_API_RATE_LIMIT_ENABLE: "false",
      DATA_DIR: place.config.dataDir,
      SECRET_KEY: place.config.secretKey ?? "",
      LITELLM_SALT_KEY_FILE: join(folder, "salt"),
      ...(place.config.databaseUrl === undefined ? {} : { DATABASE_URL: place.config.databaseUrl }),
    };
    const { LITELLM_SALT_KEY_FILE: _file, ...withoutKey } = env;
    const closed = await turnpikeHere(withoutKey, "import", old.address, "--dry-run", "--json");
    expect(JSON.parse(closed.out)).toMatchObject({ system: "LiteLLM", dry_run: true });
    expect(closed.out).toContain("sealed with another key or none given");
    expect((await turnpikeHere(env, "import", old.address, "--balance", "ten")).code).toBe(1);
    const ran = await turnpike(env, "import", old.address, "--balance", "25", "--json");
    expect([ran.code, ran.complaint]).toEqual([0, ""]);

    const ledger = await openTestLedger({ engine, place });
    const unknown = async (): Promise<number> =>
      (await ledger.rows("SELECT id FROM tokens WHERE key_unknown = 1")).length;
    const { ada, team, bo, cy, blocked, expired, spent, routes } = LITELLM_KEYS;
    let server = await startServer(env);
    try {
      expect(await statusesOf(server.url, [ada, team, bo, cy])).toEqual([200, 200, 200, 200]);
      expect(await statusesOf(server.url, [blocked, expired, spent, routes])).toEqual([401, 401, 401, 401]);
      // Who has the old database has hashes, and no key.
      expect(await statusesOf(server.url, [sha256(ada), `sk-${sha256(cy)}`, `${ada}x`])).toEqual([401, 401, 401]);
      expect((await call(server.url, bo, "cheap")).status).toBe(403);
      await until(async () => (await unknown()) === 6, "the keys of the calls");
      expect(await statusesOf(server.url, [ada, ada, cy])).toEqual([200, 200, 200]);
      const person = await loggedIn(server.url, "Ada", LITELLM_PASSWORD);
      const { items } = await dataOf<{ items: { key: string }[] }>(person.get("/api/token"));
      expect(items.map(({ key }) => key).toSorted()).toEqual(["", "", "", ada.slice(3)]);
    } finally {
      await server.end();
    }
    expect(await turnpikeHere(env, "audit")).toMatchObject({ code: 0 });
    const again = await turnpikeHere(env, "import", old.address, "--balance", "25", "--json");
    expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { tables: { tokens: { brought: 0 } } }]);
    server = await startServer(env);
    try {
      expect(await statusesOf(server.url, [ada, team, blocked, spent])).toEqual([200, 200, 401, 401]);
    } finally {
      await server.end();
      await ledger.close();
    }
    expect(await turnpikeHere(env, "audit")).toMatchObject({ code: 0 });
  });
});
