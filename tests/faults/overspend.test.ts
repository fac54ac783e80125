/** Fault: concurrent calls never spend more than the balance, on any process, and a loop of settings changes beside them loses nothing. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  holdAmount,
  estimateTokens,
  type HoldEstimate,
  DEFAULT_RATIOS,
  type ModelPrice,
} from "../../contract/src/pricing/pricing.ts";
import { bodyOf, callChat, type CallOptions } from "../support/clients/calls.ts";
import { type ServerProcess, type UpstreamProcess, startServer, startUpstream } from "../support/systems/processes.ts";
import { engines } from "../support/databases/databases.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import {
  type TestLedger,
  FIXED_PRICE,
  MODELS,
  type Person,
  type Site,
  countedPrice,
  loggedIn,
  makeSite,
  openTestLedger,
} from "../support/systems/site.ts";

const CALLS = IS_SHORT ? 80 : 200;
const AFFORDABLE = 10;
const found = await engines();
let upstream: UpstreamProcess;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterAll(() => upstream.end());

interface Scene {
  site: Site;
  servers: readonly ServerProcess[];
  person: Person;
  books: TestLedger;
  close(): Promise<void>;
}

/** Two processes on a database server, one on the embedded database. */
async function openScene(engine: (typeof found)[number], quota: number): Promise<Scene> {
  const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [quota] });
  const servers = [await startServer(site.env)];
  if (engine !== "sqlite") servers.push(await startServer(site.env));
  const books = await openTestLedger(site);
  const [person] = site.people;
  if (person === undefined) throw new Error("the site has nobody");
  const close = async (): Promise<void> => {
    await books.close();
    for (const server of servers) expect(await server.end()).toEqual({ code: 0, signal: null });
    await site.remove();
  };
  await upstream.reset();
  return { site, servers, person, books, close };
}

/** Saves the own settings repeatedly until stopped; returns how often. */
function startSaving(url: string, { username }: Person): () => Promise<number> {
  let isStopping = false;
  const saving = (async (): Promise<number> => {
    const client = await loggedIn(url, username);
    for (let count = 0; ; count += 1) {
      if (isStopping && count > 10) return count;
      const answer = await client.put("/api/user/self", { display_name: `name ${count}` });
      if (!answer.body.success) throw new Error(answer.body.message);
    }
  })();
  return () => {
    isStopping = true;
    return saving;
  };
}

const accountOf = async ({ books, person }: Scene): Promise<{ quota: number; held: number }> => {
  const [row] = await books.rows(`SELECT quota, held FROM users WHERE id = ${person.userId}`);
  return { quota: Number(row?.["quota"]), held: Number(row?.["held"]) };
};

test.each(found)(
  `${CALLS} calls at once on %s with a balance of ${AFFORDABLE} prices: exactly ${AFFORDABLE} reach the upstream, the balance is 0`,
  async (engine) => {
    const scene = await openScene(engine, AFFORDABLE * FIXED_PRICE);
    const before = (await upstream.facts()).count;
    const [first] = scene.servers;
    const stopSaving = startSaving(first?.url ?? "", scene.person);
    const outcomes = await Promise.all(
      Array.from({ length: CALLS }, (_, index) => {
        const server = scene.servers[index % scene.servers.length];
        const plan = { headerDelayMs: 300 };
        const isStream = index % 4 < 2;
        return callChat(server?.url ?? "", scene.person.key, { model: MODELS.fixed, isStream, plan });
      }),
    );
    expect(await stopSaving()).toBeGreaterThan(10);
    const statuses = new Map<number, number>();
    for (const { status } of outcomes) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    expect((await upstream.facts()).count - before).toBe(AFFORDABLE);
    expect(Object.fromEntries(statuses)).toEqual({ 200: AFFORDABLE, 403: CALLS - AFFORDABLE });
    expect(await accountOf(scene)).toEqual({ quota: 0, held: 0 });
    expect((await scene.books.audit()).faults).toEqual([]);
    await scene.close();
  },
);

const COUNTED: ModelPrice = { kind: "per_token", ratio: "2.5", ...DEFAULT_RATIOS, completionRatio: "4" };
const MAX_TOKENS = 100;
const USAGE = { prompt_tokens: 30, completion_tokens: MAX_TOKENS, total_tokens: 30 + MAX_TOKENS };
const CALL: CallOptions = {
  model: MODELS.counted,
  isStream: false,
  plan: { usage: USAGE, headerDelayMs: 40 },
  fields: { max_tokens: MAX_TOKENS },
};

/** Least quota that a call of this body sets aside: its text alone, which the gateway estimates on the high side. */
function leastHold(): number {
  const { messages } = JSON.parse(bodyOf(CALL)) as { messages: { content: string }[] };
  const estimate: HoldEstimate = {
    inputTokens: estimateTokens(messages[0]?.content.length ?? 0, 0),
    isStream: false,
    maxTokens: MAX_TOKENS,
    modelCap: undefined,
    choices: 1,
    preConsumedQuota: 500,
  };
  return holdAmount(estimate, COUNTED, "1", "500000");
}

test.each(found)(
  "calls by tokens on %s never hold more than the balance, never take it below 0, and end at start - sum of charges",
  async (engine) => {
    const hold = leastHold();
    const quota = 12 * hold;
    const scene = await openScene(engine, quota);
    const [first] = scene.servers;
    const stopSaving = startSaving(first?.url ?? "", scene.person);
    let isOver = false;
    const seen: { quota: number; held: number }[] = [];
    const watching = (async (): Promise<void> => {
      while (!isOver) {
        seen.push(await accountOf(scene));
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const outcomes = await Promise.all(
      Array.from({ length: CALLS }, (_, index) =>
        callChat(scene.servers[index % scene.servers.length]?.url ?? "", scene.person.key, CALL),
      ),
    );
    isOver = true;
    await watching;
    await stopSaving();
    const answered = outcomes.filter(({ isComplete }) => isComplete).length;
    const { mostOpen } = await upstream.facts();
    expect(mostOpen).toBeGreaterThan(1);
    expect(mostOpen, "calls in flight").toBeLessThanOrEqual(Math.floor(quota / hold));
    // The embedded database keeps holds in memory: there the calls that reached the upstream are the witness.
    if (engine !== "sqlite") expect(seen.some(({ held }) => held > 0)).toBe(true);
    expect(seen.filter((account) => account.quota < 0 || account.held > account.quota)).toEqual([]);
    const charge = countedPrice(USAGE.prompt_tokens, USAGE.completion_tokens);
    expect(await accountOf(scene)).toEqual({ quota: quota - answered * charge, held: 0 });
    expect((await scene.books.audit()).faults).toEqual([]);
    await scene.close();
  },
);

const LONG_TEXT = "Every word of this answer has its price. ".repeat(120);

test.each(found)(
  "streams on %s that outgrow the balance end with an error event, pay for what was delivered, and end at 0 or above",
  async (engine) => {
    const scene = await openScene(engine, 60_000);
    const plan = { text: LONG_TEXT, chunks: 300, chunkDelayMs: 3 };
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const server = scene.servers[index % scene.servers.length];
        return callChat(server?.url ?? "", scene.person.key, { model: MODELS.inSight, isStream: true, plan });
      }),
    );
    const begun = outcomes.filter(({ status }) => status === 200);
    const ended = begun.filter(({ isComplete }) => !isComplete);
    expect(ended.length).toBeGreaterThan(0);
    for (const { body } of ended) expect(body.toString()).toMatch(/data: \{"error":.*\n\n$/);
    const charges = await scene.books.rows("SELECT entry_id, used_delta FROM ledger WHERE kind = 'charge'");
    expect(charges.map((row) => String(row["entry_id"])).toSorted()).toEqual(
      begun.map(({ requestId }) => requestId).toSorted(),
    );
    expect(Math.min(...charges.map((row) => Number(row["used_delta"])))).toBeGreaterThan(0);
    const { quota, held } = await accountOf(scene);
    expect(held).toBe(0);
    expect(quota).toBeGreaterThanOrEqual(0);
    expect((await scene.books.audit()).faults).toEqual([]);
    await scene.close();
  },
);
