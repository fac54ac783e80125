/**
 * Attack: an administrator, or a reader of the database, gets the credentials of a channel's proxy, by reading them or by sending them to a server
 * of his own.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server as SocketServer } from "node:net";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { API } from "../../contract/src/api.ts";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import { ROLE } from "../../contract/src/roles.ts";
import { type RunningApp, startApp } from "../../server/src/app.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import { type AccessPerson, addPeople, sessionHeaders } from "../access/people.ts";
import { tracesIn } from "../support/checks/traces.ts";
import { wholeDatabase } from "../support/checks/whole-database.ts";
import { engines, createTestPlace, type TestPlace } from "../support/databases/databases.ts";
import { startHttpProxy, type TestProxy } from "../support/systems/proxies.ts";
import { ROOT_PASSWORD, setupForm, type TestAnswer, TestClient } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

const LOGIN = "gate-user-41:Zq7c1f09plantedProxyWord";
const SECRETS = [
  { name: "login", value: LOGIN },
  { name: "password", value: LOGIN.split(":")[1] ?? "" },
];

let upstream: Server;
let upstreamUrl: string;
let proxy: TestProxy;
let place: string;

beforeAll(async () => {
  upstream = createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end('{"data":[{"id":"m"}]}');
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  proxy = await startHttpProxy({ login: LOGIN });
  place = `127.0.0.1:${proxy.port}`;
});
afterAll(() => {
  upstream.close();
  proxy.close();
});

describe.each(await engines())("on %s", (engine) => {
  let database: TestPlace;
  let app: RunningApp;
  let root: TestClient;
  let admin: AccessPerson;
  const lines: string[] = [];

  const start = async (): Promise<RunningApp> => {
    const logger = createLogger({ level: "trace", destination: { write: (line: string) => void lines.push(line) } });
    return startApp(database.config, { logger, webDirectory: `${database.config.dataDir}/no-web`, pollMs: 50 });
  };

  beforeAll(async () => {
    const env = { ALLOW_PRIVATE_UPSTREAMS: "1", GLOBAL_API_RATE_LIMIT_ENABLE: "false", SHUTDOWN_GRACE_SECONDS: "1" };
    database = await createTestPlace(engine, { env });
    app = await start();
    root = new TestClient(app.url);
    await dataOf(root.post("/api/setup", await setupForm(app)));
    await dataOf(root.login("root", ROOT_PASSWORD));
    const [made] = await addPeople(app.foundation, [{ role: ROLE.admin }]);
    if (made === undefined) throw new Error("no administrator was made");
    admin = made;
  });
  afterAll(async () => {
    await app.close();
    await database.remove();
  });

  const byAdmin = (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
    new TestClient(app.url).send(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: sessionHeaders(admin),
    });

  const settingOf = (address: string): string => JSON.stringify({ max_concurrency: 9, proxy: address });

  const form = () => ({
    type: 1,
    name: "behind a proxy",
    key: "sk-upstream-secret-000000001",
    base_url: upstreamUrl,
    models: "m",
    groups: ["default"],
    setting: settingOf(`http://${LOGIN}@${place}`),
  });

  const makeChannel = async (change: object = {}): Promise<number> => {
    const [id = 0] = await dataOf<number[]>(root.post("/api/channel", { ...form(), ...change }));
    return id;
  };

  /** Whether a call of the channel comes through its proxy, which requires the login. */
  const isThrough = async (id: number): Promise<boolean> => {
    const before = proxy.asked.length;
    const { body } = await byAdmin("GET", `/api/channel/fetch_models/${id}`);
    return body.success && proxy.asked.length === before + 1;
  };

  const storedSetting = async (id: number): Promise<string> => {
    const { kysely } = app.foundation.database;
    const row = await kysely.selectFrom("channels").select("setting").where("id", "=", id).executeTakeFirstOrThrow();
    return row.setting;
  };

  /** Writes to the row as an attacker with the database does. */
  const plant = async (id: number, setting: string): Promise<void> => {
    const { kysely } = app.foundation.database;
    await kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "channels");
      await transaction.updateTable("channels").set({ setting, changed_version }).where("id", "=", id).execute();
    });
    await app.foundation.snapshot.refresh();
  };

  /** What every call that only reads answers, lists and exports alike, to an administrator and to the super administrator. */
  const everythingRead = async (id: number): Promise<string[]> => {
    const endpoints = Object.values(API).flatMap((feature) => Object.values(feature));
    const reading = endpoints.filter(({ method, changesState }) => method === "GET" && changesState !== true);
    const readers = [sessionHeaders(admin), { cookie: root.cookie, "new-api-user": String(root.userId) }];
    const texts: string[] = [];
    for (const { path } of reading)
      for (const headers of readers) {
        const url = app.url + path.replaceAll(/\{\w+\}/g, String(id));
        texts.push(await (await fetch(url, { headers, redirect: "manual" })).text());
      }
    return texts;
  };

  const inDatabase = () =>
    wholeDatabase(engine, async (query) => {
      const { rows } = await sql.raw<Record<string, unknown>>(query).execute(app.foundation.database.kysely);
      return rows;
    });

  describe("reading", () => {
    test("no answer to an administrator has it, nor log, database or mail, and calls go through the proxy all the while", async () => {
      const id = await makeChannel();
      const answers: TestAnswer[] = [];
      const ask = async (method: string, path: string, body?: unknown): Promise<TestAnswer> => {
        const answer = await byAdmin(method, path, body);
        answers.push(answer);
        return answer;
      };
      const whole = await dataOf<ChannelRow>(ask("GET", `/api/channel/${id}`));
      expect(whole.setting).toBe(settingOf(`http://***@${place}`));
      const copy = await dataOf<ChannelRow>(ask("POST", `/api/channel/copy/${id}`));
      await ask("PUT", "/api/channel", { ...whole, key: "", priority: 4 });
      await ask("POST", `/api/channel/test/${id}`, {});
      await ask("POST", "/api/channel/test/draft", { ...whole, key: null, model: "m" });
      await ask("PUT", "/api/channel", { id, setting: settingOf(`http://***@evil.example`) });
      await ask("POST", "/api/impact", { act: "disable", ids: [id] });
      await ask("POST", "/api/channel/tier", { id, priority: 0, models: ["m"], groups: ["default"] });
      await ask("GET", "/api/channel/?tag_mode=true");
      await ask("GET", `/api/channel/search?keyword=${LOGIN.split(":")[1]}`);
      await ask("GET", "/api/channel/search?keyword=proxy");
      expect(answers.filter(({ body }) => body.success).length).toBeGreaterThan(6);
      const texts = await everythingRead(id);
      expect(texts.filter((text) => text.includes('"success":true')).length).toBeGreaterThan(80);
      expect(texts.filter((text) => text.includes(`***@${place}`)).length).toBeGreaterThanOrEqual(6);
      expect(tracesIn(Buffer.from(JSON.stringify(answers) + texts.join("")), SECRETS)).toEqual([]);
      expect(tracesIn(Buffer.from(lines.join("")), SECRETS)).toEqual([]);
      const { tables, bytes } = await inDatabase();
      expect([tables > 10, tracesIn(bytes, SECRETS)]).toEqual([true, []]);
      for (const each of [id, copy.id]) expect(await isThrough(each)).toBe(true);
    });

    test("a second name for the same field is not stored beside it", async () => {
      const twice = `{"proxy":"http://${LOGIN}@${place}","proxy":"http://${place}"}`;
      const id = await makeChannel({ setting: twice });
      expect(await storedSetting(id)).toBe(JSON.stringify({ proxy: `http://${place}` }));
    });
  });

  describe("leading it elsewhere", () => {
    let own: Server;
    let ownSockets: SocketServer;
    let ownPlaces: string[];
    /** Everything that reached the attacker. */
    let heard = "";

    beforeEach(async () => {
      heard = "";
      own = createServer((request, response) => {
        heard += `${request.method} ${request.url} ${JSON.stringify(request.headers)}\n`;
        response.setHeader("content-type", "application/json").end('{"data":[]}');
      });
      own.on("connect", (request, socket) => {
        heard += `CONNECT ${JSON.stringify(request.headers)}\n`;
        socket.end();
      });
      ownSockets = createSocketServer((socket) => {
        socket
          .on("error", () => undefined)
          .on("data", (bytes) => {
            heard += bytes.toString("latin1");
            // SOCKS 5: tell me who you are.
            socket.write(Buffer.from([5, 2]));
          });
      });
      for (const server of [own, ownSockets]) {
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
      }
      ownPlaces = [own, ownSockets].map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
    afterEach(() => {
      own.closeAllConnections();
      own.close();
      ownSockets.close();
    });

    const expectNothingHeard = (): void => expect(tracesIn(Buffer.from(heard), SECRETS)).toEqual([]);

    const leads = (): string[] => {
      const [http = "", socks = ""] = ownPlaces;
      return [
        `http://***@${http}`,
        `socks5://***@${socks}`,
        `https://***@${place}`,
        `socks5://***@${place}`,
        "http://***@127.0.0.1",
        `http://***@localhost:${proxy.port}`,
        `http://***:***@${http}`,
        `http://***:mine@${place}`,
        `http://gate-user-41:***@${place}`,
      ];
    };
    const REFUSED = { success: false, code: "channel_proxy_login_needed", field: "setting" };
    const key = "sk-own-key-00000000000";

    test("*** is refused by name beside another protocol, host or port, in a change, a new channel, a copy and a test", async () => {
      const id = await makeChannel();
      const { id: copy } = await dataOf<ChannelRow>(byAdmin("POST", `/api/channel/copy/${id}`));
      const before = await storedSetting(id);
      for (const address of leads()) {
        const setting = settingOf(address);
        const tries = [
          await byAdmin("PUT", "/api/channel", { id, setting, key }),
          await byAdmin("PUT", "/api/channel", { id: copy, setting, key, base_url: `http://${ownPlaces[0]}` }),
          await byAdmin("POST", "/api/channel", { ...form(), setting, key }),
          await byAdmin("POST", "/api/channel/test/draft", { ...form(), id, setting, key, model: "m" }),
          await byAdmin("POST", "/api/channel/test/draft", { ...form(), setting, key, model: "m" }),
          await root.put("/api/channel", { id, setting }),
        ];
        for (const { body } of tries) expect([address, body]).toMatchObject([address, REFUSED]);
      }
      // Nothing is stored for a channel that is new.
      const fresh = { ...form(), setting: settingOf(`http://***@${place}`) };
      expect((await byAdmin("POST", "/api/channel", fresh)).body).toMatchObject(REFUSED);
      expect(await storedSetting(id)).toBe(before);
      expect(await isThrough(id)).toBe(true);
      expectNothingHeard();
    });

    test("a stored key goes through no other proxy, and the whole channel sent back moves nothing", async () => {
      const id = await makeChannel();
      const before = await storedSetting(id);
      const row = await dataOf<ChannelRow>(byAdmin("GET", `/api/channel/${id}`));
      const back = await byAdmin("PUT", "/api/channel", { ...row, key: "", weight: 3 });
      expect(back.body).toMatchObject({ success: true, data: { weight: 3, setting: row.setting } });
      expect(await storedSetting(id)).toBe(before);
      const same = await byAdmin("PUT", "/api/channel", { id, setting: form().setting });
      expect(same.body.success).toBe(true);
      expect(await isThrough(id)).toBe(true);
      for (const address of [`http://mine:own@${place}`, `http://mine:own@${ownPlaces[0]}`, `http://${place}`, ""]) {
        const moved = await byAdmin("PUT", "/api/channel", { id, setting: settingOf(address) });
        expect([address, moved.body.code]).toEqual([address, "channel_key_needed"]);
      }
      const kept = { ...row, setting: settingOf(`http://***@${place}`), key: null, model: "m" };
      const through = proxy.asked.length;
      expect((await byAdmin("POST", "/api/channel/test/draft", kept)).body.code).toBeUndefined();
      expect(proxy.asked.length).toBe(through + 1);
      expectNothingHeard();
    });

    test("in the database a login moved to another host opens nowhere: the channel is out of service, and an administrator gives it anew", async () => {
      const id = await makeChannel();
      const stored = await storedSetting(id);
      for (const [from, to] of [
        [place, ownPlaces[0] ?? ""],
        ["http://", "https://"],
      ] as const) {
        await plant(id, stored.replace(from, to));
        expect((await byAdmin("GET", `/api/channel/fetch_models/${id}`)).body.success).toBe(false);
        const shown = (await dataOf<ChannelRow>(byAdmin("GET", `/api/channel/${id}`))).setting;
        const draft = { ...form(), id, setting: shown, key: null, model: "m" };
        expect((await byAdmin("POST", "/api/channel/test/draft", draft)).body).toMatchObject(REFUSED);
      }
      expect(lines.join("")).toContain("the proxy's login or the header override of a channel cannot be decrypted");
      expect((await byAdmin("PUT", "/api/channel", { id, setting: form().setting, key })).body.success).toBe(true);
      expect(await isThrough(id)).toBe(true);
      expectNothingHeard();
    });
  });

  test("what an earlier version stored in clear is sealed at the next start, by one of two processes, and keeps working", async () => {
    const id = await makeChannel();
    const old = await makeChannel({ setting: "" });
    await plant(old, settingOf(`http://${LOGIN}@${place}`));
    const kept = await storedSetting(id);
    expect(tracesIn((await inDatabase()).bytes, SECRETS)).not.toEqual([]);
    // In clear it is not shown either.
    expect((await dataOf<ChannelRow>(byAdmin("GET", `/api/channel/${old}`))).setting).toBe(
      settingOf(`http://***@${place}`),
    );
    await app.close();
    const [first, second] = engine === "sqlite" ? [await start()] : await Promise.all([start(), start()]);
    if (first === undefined) throw new Error("nothing was started");
    app = first;
    expect(tracesIn((await inDatabase()).bytes, SECRETS)).toEqual([]);
    expect(await storedSetting(id)).toBe(kept);
    for (const each of [id, old]) expect(await isThrough(each)).toBe(true);
    await second?.close();
  });
});
