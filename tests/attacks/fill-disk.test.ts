/** Attack: an account with a few cents fills the disk, with a new Idempotency-Key for each call, whose answer would be stored for a day. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bodyOf } from "../support/clients/calls.ts";
import { engines } from "../support/databases/databases.ts";
import { type ServerProcess, type UpstreamProcess, startServer, startUpstream } from "../support/systems/processes.ts";
import { FIXED_PRICE, MODELS, type Site, type TestLedger, makeSite, openTestLedger } from "../support/systems/site.ts";

const CALLS = 60;
const ANSWER_BYTES = 100_000;
const MEBIBYTE = 1_048_576;
/** A part of the response that encrypted bytes do not contain at random; four letters did once in twenty runs. */
const READABLE = "x".repeat(24);

let upstream: UpstreamProcess;
beforeAll(async () => void (upstream = await startUpstream()));
afterAll(() => upstream.end());

describe.each(await engines())("on %s", (engine) => {
  let site: Site;
  let servers: readonly ServerProcess[];
  let ledger: TestLedger;

  beforeAll(async () => {
    site = await makeSite(engine, {
      upstreamUrl: upstream.url,
      quotas: [CALLS * FIXED_PRICE, CALLS * FIXED_PRICE],
      options: { KeptAnswerMebibytesPerUser: "1", KeptAnswerMebibytes: "2" },
    });
    const first = await startServer(site.env);
    servers = engine === "sqlite" ? [first] : [first, await startServer(site.env)];
    ledger = await openTestLedger(site);
  });
  afterAll(async () => {
    await ledger.close();
    for (const server of servers) await server.end();
    await site.remove();
  });

  const call = async (person: number, key: number) => {
    const plan = { text: "x".repeat(ANSWER_BYTES) };
    const answer = await fetch(`${servers[key % servers.length]?.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${site.people[person]?.key}`,
        "idempotency-key": `key-${key}`,
      },
      body: bodyOf({ model: MODELS.fixed, isStream: false, plan }),
    });
    return { status: answer.status, isReplay: answer.headers.has("idempotent-replayed"), text: await answer.text() };
  };
  const keptBytes = async (): Promise<number> => {
    const [row] = await ledger.rows("SELECT sum(length(answer)) AS bytes FROM idempotency_keys");
    return Number(row?.["bytes"]);
  };

  test("many calls at once on every process keep no more than a user may have, and none is made or charged twice", async () => {
    const keys = Array.from({ length: CALLS }, (_, index) => index);
    const answers = await Promise.all(keys.map((key) => call(0, key)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const bytes = await keptBytes();
    expect([bytes > 0, bytes <= MEBIBYTE]).toEqual([true, true]);
    const again = await Promise.all(keys.map((key) => call(0, key)));
    const replays = again.filter(({ isReplay }) => isReplay);
    expect(replays.length).toBeGreaterThan(0);
    for (const { status, isReplay, text } of again) {
      expect(status).toBe(isReplay ? 200 : 409);
      if (!isReplay) expect(text).toContain("request id");
    }
    const [user] = await ledger.rows(`SELECT quota FROM users WHERE id = ${site.people[0]?.userId}`);
    expect(Number(user?.["quota"])).toBe(0);
  });

  test("nothing of the answers can be read in the database", async () => {
    await call(1, 0);
    const rows = await ledger.rows("SELECT answer FROM idempotency_keys WHERE answer <> ''");
    expect(rows.length).toBeGreaterThan(0);
    for (const { answer } of rows) {
      const stored = String(answer);
      expect(stored).not.toContain(READABLE);
      expect(Buffer.from(stored, "base64").toString("latin1")).not.toContain(READABLE);
    }
  });
});
