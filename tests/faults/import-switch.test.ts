/** The move without a gap: imported while the old gateway serves and writes its batches, switched in front, imported once more: no call refused, no unit lost. */
import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { createTestPlace, enginesHere, type TestPlace } from "../support/databases/databases.ts";
import { inTurn, IS_SHORT } from "../support/soak/short-or-long.ts";
import { turnpike } from "../support/systems/command-line.ts";
import { environmentOf } from "../support/old-systems/killed-imports.ts";
import { makeOldGateway, NEW_API, type OldGateway } from "../support/old-systems/old-gateway.ts";
import { channel, OLD_PRICE, token, user } from "../support/old-systems/old-rows.ts";
import { type OldKey, serveOldGateway, type ServingGateway } from "../support/old-systems/serving-gateway.ts";
import { startServer, until } from "../support/systems/processes.ts";
import { openTestLedger } from "../support/systems/site.ts";

const HERE = await enginesHere();
/** An embedded target has to be without a server while an import runs. */
const PAIRS = [
  { from: "sqlite", into: "postgres" },
  { from: "postgres", into: "postgres" },
  { from: "mysql", into: "mysql" },
] as const;
type Pair = (typeof PAIRS)[number];
const isPairHere = ({ from, into }: Pair): boolean => HERE.includes(from) && HERE.includes(into);
/** In the short form one of those that can be moved here; all, skipped, where none can. */
const inShort = inTurn("import-switch", PAIRS.filter(isPairHere));
const CHOSEN: readonly Pair[] = IS_SHORT && inShort.length > 0 ? inShort : PAIRS;

/** What everybody has before the first call. */
const BEFORE = { quota: 900_000_000, used: 7_000, requests: 70, ofToken: 6_000, left: 800_000_000 };
const keyOf = (id: number): OldKey => ({ key: `moving${String(id).padStart(42, "0")}`, userId: id, tokenId: id });
const PEOPLE = [2, 3, 4, 5].map(keyOf);
/** Comes after the first import. */
const LATE = keyOf(6);

const userRow = ({ userId }: OldKey) =>
  user(userId, `person${userId}`, { quota: BEFORE.quota, used_quota: BEFORE.used, request_count: BEFORE.requests });
const tokenRow = ({ tokenId, userId, key }: OldKey) =>
  token(tokenId, userId, key, {
    remain_quota: BEFORE.left,
    used_quota: BEFORE.ofToken,
    unlimited_quota: tokenId % 2 === 0,
  });

/** The proxy in front, which leads calls to `target()`. */
async function openFront(target: () => string) {
  const server = createServer((request, response) => {
    const { method, headers, url = "/" } = request;
    const forwarded = send(new URL(url, target()), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.once("error", (error) => response.writeHead(502).end(error.message));
    request.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function callOf(url: string, { key }: OldKey): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer sk-${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "fixed-model", messages: [{ role: "user", content: "hi" }] }),
  });
  return { status: answer.status, text: await answer.text() };
}

const modelsOf = (url: string, { key }: OldKey) =>
  fetch(`${url}/v1/models`, { headers: { authorization: `Bearer sk-${key}` } });

/** Clients that call one after the other until they are stopped. */
function startLoad(url: string) {
  const answered = new Map<number, number>();
  const refused: string[] = [];
  const clients: Promise<void>[] = [];
  let [isOver, here] = [false, 0];
  const callOnce = async (key: OldKey): Promise<void> => {
    const { status, text } = await callOf(url, key);
    if (status !== 200) return void refused.push(`${status} ${text.slice(0, 200)}`);
    answered.set(key.userId, (answered.get(key.userId) ?? 0) + 1);
    if (!text.includes('"old"')) here += 1;
  };
  const client = async (key: OldKey): Promise<void> => {
    while (!isOver) await callOnce(key).catch((error: unknown) => void refused.push(String(error)));
  };
  return {
    add: (key: OldKey) => void clients.push(client(key)),
    answered,
    refused,
    answeredHere: () => here,
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

describe.each(CHOSEN)("an old gateway on $from, moved to $into", (pair) => {
  const { from, into } = pair;
  const isHere = isPairHere(pair);
  let upstream: FakeUpstream;
  let old: OldGateway;
  let serving: ServingGateway;
  let place: TestPlace;

  beforeAll(async () => {
    if (!isHere) return;
    upstream = await startFakeUpstream();
    old = await makeOldGateway(from, NEW_API, {
      options: [{ key: "ModelPrice", value: '{"fixed-model":0.002}' }],
      users: [user(1, "root", { role: 100 }), ...PEOPLE.map(userRow)],
      tokens: PEOPLE.map(tokenRow),
      channels: [channel(1, 1, "sk-upstream-0123456789abcdef", { base_url: upstream.url, auto_ban: 0 })],
    });
    serving = await serveOldGateway(old, PEOPLE, OLD_PRICE);
    place = await createTestPlace(into, { isEmpty: true });
  });
  afterAll(async () => {
    if (!isHere) return;
    await serving.close();
    await upstream.close();
    await old.remove();
    await place.remove();
  });

  test.skipIf(!isHere)("answers every call, and what was used there and here is what the balances lack", async () => {
    const env = environmentOf(place);
    const pass = async () => {
      const { code, out, complaint } = await turnpike(env, "import", old.address, "--json");
      expect([code, complaint]).toEqual([0, ""]);
      return JSON.parse(out) as { tables: Record<string, { brought: number }> };
    };
    let target = serving.url;
    const front = await openFront(() => target);
    const load = startLoad(front.url);
    for (const key of PEOPLE) load.add(key);
    await until(() => serving.answered() > 50, "calls of the old gateway");
    expect((await pass()).tables).toMatchObject({ users: { brought: 1 + PEOPLE.length } });

    await old.add({ users: [userRow(LATE)], tokens: [tokenRow(LATE)] });
    serving.addKey(LATE);
    load.add(LATE);
    const server = await startServer(env);
    try {
      expect((await pass()).tables).toMatchObject({ users: { brought: 1 }, tokens: { brought: 1 } });
      // A key that came with the last import is known to a serving gateway within its next look at the database.
      await until(async () => (await modelsOf(server.url, LATE)).status === 200, "the late key");
      target = server.url;
      await until(() => load.answeredHere() > 50, "calls of this gateway");
      await serving.drained();
      expect((await pass()).tables).toMatchObject({ users: { brought: 0 }, tokens: { brought: 0 } });
      const soFar = load.answeredHere();
      await until(() => load.answeredHere() > soFar + 20, "calls after the last import");
      await load.stop();
    } finally {
      front.close();
      expect((await server.end()).code).toBe(0);
    }

    expect(load.refused).toEqual([]);
    const ledger = await openTestLedger({ engine: into, place });
    const users = await ledger.rows("SELECT id, quota, used_quota, request_count FROM users WHERE id > 1 ORDER BY id");
    const tokens = await ledger.rows("SELECT id, remain_quota, used_quota, unlimited_quota FROM tokens ORDER BY id");
    const [lane] = await ledger.rows("SELECT SUM(used_delta) AS used FROM ledger WHERE channel_id = 1");
    expect((await ledger.audit()).faults).toEqual([]);
    await ledger.close();
    const people = [...PEOPLE, LATE];
    const spentBy = ({ userId }: OldKey): number => OLD_PRICE * (load.answered.get(userId) ?? 0);
    expect(users.map((row) => Object.values(row).map(Number))).toEqual(
      people.map((key) => [
        key.userId,
        BEFORE.quota - spentBy(key),
        BEFORE.used + spentBy(key),
        BEFORE.requests + spentBy(key) / OLD_PRICE,
      ]),
    );
    expect(tokens.map((row) => Number(row["used_quota"]))).toEqual(people.map((key) => BEFORE.ofToken + spentBy(key)));
    const limited = people.filter(({ tokenId }) => tokenId % 2 === 1);
    expect(
      tokens.filter((row) => Number(row["unlimited_quota"]) === 0).map((row) => Number(row["remain_quota"])),
    ).toEqual(limited.map((key) => BEFORE.left - spentBy(key)));
    expect(Number(lane?.["used"])).toBe(100 + people.reduce((sum, key) => sum + spentBy(key), 0));
    expect(serving.answered() + load.answeredHere()).toBe(
      people.reduce((sum, key) => sum + spentBy(key) / OLD_PRICE, 0),
    );
  });
});
