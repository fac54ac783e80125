/**
 * Fault: through a real server, cut frames change no byte, and a stream that dies is reported and charged for what was delivered, whichever side
 * ended it.
 */
import { Agent } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AnswerParts, streamFrames } from "../fake-upstream/openai/answers.ts";
import { splitText } from "../fake-upstream/vendor.ts";
import { type CallOptions, type CallOutcome, callChat, seededChance, textOf } from "../support/clients/calls.ts";
import type { Directive } from "../support/systems/directed-upstream.ts";
import {
  type ServerProcess,
  type UpstreamProcess,
  startServer,
  startUpstream,
  until,
} from "../support/systems/processes.ts";
import { IS_LONG } from "../support/soak/short-or-long.ts";
import { type TestLedger, MODELS, type Site, makeSite, openTestLedger } from "../support/systems/site.ts";

const TEXT = 'Grüße, 世界 🌍: "quoted" \\ and\nnew lines — data: [DONE] is only text here.';
const AT_ONCE = 40;
const FUZZED = IS_LONG ? 5_000 : 400;

let upstream: UpstreamProcess;
let site: Site;
let server: ServerProcess;
let books: TestLedger;
let key: string;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

beforeAll(async () => {
  upstream = await startUpstream();
  site = await makeSite("sqlite", { upstreamUrl: upstream.url, quotas: [10 ** 12] });
  server = await startServer(site.env);
  books = await openTestLedger(site);
  key = site.people[0]?.key ?? "";
});

afterAll(async () => {
  agent.destroy();
  await books.close();
  await server.end();
  await upstream.end();
  await site.remove();
});

const stream = (plan: Directive, more: Partial<CallOptions> = {}): Promise<CallOutcome> =>
  callChat(server.url, key, { model: MODELS.counted, isStream: true, plan, agent, ...more });

/** Runs the calls of all items, so many at once. */
async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** What a call was charged; undefined where nothing is posted. */
async function chargeOf(requestId: string): Promise<number | undefined> {
  const [row] = await books.rows(`SELECT used_delta FROM ledger WHERE entry_id = '${requestId}'`);
  return row === undefined ? undefined : Number(row["used_delta"]);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** A vendor's stream, byte by byte as the fake upstream writes it. */
function rawStream(parts: Partial<AnswerParts> = {}): Buffer {
  const usage = { prompt_tokens: 20, completion_tokens: 30, total_tokens: 50 };
  const all = { model: "m", pieces: splitText(TEXT, 6), reasoning: [], finishReason: "stop", usage, ...parts };
  return Buffer.from(`${streamFrames(all, true, true).join("")}data: [DONE]\n\n`);
}

const asRaw = (rawBody: string): Directive => ({ rawBody, contentType: "text/event-stream" });

test("frames cut at every byte offset reach the client byte by byte the same", { timeout: 120_000 }, async () => {
  const raw = rawStream();
  const whole = await stream(asRaw(raw.toString()));
  expect(whole.body.equals(raw)).toBe(true);
  expect(textOf(whole)).toBe(TEXT);
  const different: number[] = [];
  await inTurns(upTo(raw.length - 1), async (splitAtByte) => {
    const { body } = await stream({ ...asRaw(raw.toString()), splitAtByte });
    if (!body.equals(raw)) different.push(splitAtByte);
  });
  expect(different).toEqual([]);
  const inBytes = await stream({ ...asRaw(raw.toString()), pieceBytes: 1 });
  expect(inBytes.body.equals(raw)).toBe(true);
});

test("an upstream that dies at any byte: an error event, no [DONE], and a charge as soon as a token was delivered", async () => {
  const raw = rawStream();
  // Behind the finish the answer is whole, and what is missing is only the end of the stream.
  const finish = raw.indexOf('"finish_reason":"stop"');
  const cuts = upTo(finish - 1).filter((cut) => cut % 7 === 0);
  const wrong: object[] = [];
  await inTurns(cuts, async (cutAtByte) => {
    const cutBy = cutAtByte % 2 === 0 ? "destroy" : "reset";
    const outcome = await stream({ ...asRaw(raw.toString()), cutAtByte, cutBy });
    const text = outcome.body.toString();
    const charge = await chargeOf(outcome.requestId);
    const isDelivered = outcome.status === 200 && textOf({ body: withoutError(outcome.body) }) !== "";
    const isTold = outcome.status === 200 ? /"error":/.test(text) : outcome.status >= 500;
    const isPaid = isDelivered ? (charge ?? 0) > 0 : charge === undefined;
    if (outcome.isComplete || text.includes("data: [DONE]\n\n") || !isTold || !isPaid)
      wrong.push({ cutAtByte, status: outcome.status, isDelivered, charge, text: text.slice(-300) });
  });
  expect(wrong).toEqual([]);
});

/** The frames before the error event. */
function withoutError(body: Buffer): Buffer {
  const at = body.indexOf('data: {"error"');
  return at < 0 ? body : body.subarray(0, at);
}

test("an upstream that falls silent after its finish still makes a whole answer with its usage", async () => {
  const raw = rawStream();
  const outcome = await stream({
    ...asRaw(raw.toString()),
    cutAtByte: raw.length - "data: [DONE]\n\n".length,
    cutBy: "destroy",
  });
  expect(outcome.isComplete).toBe(true);
  expect(await chargeOf(outcome.requestId)).toBe((20 + 4 * 30) * 2.5);
});

test("a client disconnects: the upstream is closed within a second, and what was delivered is charged", async () => {
  const name = "left in the middle";
  let leftAtMs = 0;
  const leaves = (received: Buffer): boolean => {
    if (leftAtMs === 0 && textOf({ body: received }) !== "") leftAtMs = Date.now();
    return leftAtMs > 0;
  };
  const outcome = await stream(
    { name, text: TEXT.repeat(20), chunks: 400, chunkDelayMs: 20 },
    { leaves, agent: new Agent() },
  );
  expect(outcome.isComplete).toBe(false);
  const callOf = async () => (await upstream.facts()).named.find((each) => each.name === name);
  await until(async () => (await callOf())?.wasAborted === true, "the upstream's connection to close", 5_000);
  const abortedAtMs = (await callOf())?.abortedAtMs ?? Infinity;
  expect(abortedAtMs - leftAtMs).toBeLessThan(1_000);
  await until(async () => (await chargeOf(outcome.requestId)) !== undefined, "the charge");
  const [row] = await books.rows(
    `SELECT completion_tokens, prompt_tokens, quota, other FROM logs WHERE request_id = '${outcome.requestId}'`,
  );
  expect(Number(row?.["quota"])).toBeGreaterThan(0);
  expect(String(row?.["other"])).toContain('"rule":"client_left"');
  // Far less than the whole answer.
  expect(Number(row?.["completion_tokens"])).toBeLessThan(100);
});

test("a client that disconnects before the first byte of a buffered answer pays nothing", async () => {
  const name = "left while waiting";
  const waiting = callChatThenLeave(name);
  const callOf = async () => (await upstream.facts()).named.find((each) => each.name === name);
  await until(async () => (await callOf()) !== undefined, "the call to arrive");
  waiting.leave();
  await until(async () => (await callOf())?.wasAborted === true, "the upstream's connection to close", 5_000);
  const rows = await books.rows("SELECT COUNT(*) AS total FROM ledger WHERE kind = 'charge' AND prompt_tokens = 987");
  expect(Number(rows[0]?.["total"])).toBe(0);
});

function callChatThenLeave(name: string): { leave(): void } {
  const controller = new AbortController();
  const usage = { prompt_tokens: 987, completion_tokens: 1, total_tokens: 988 };
  const content = `@plan ${JSON.stringify({ name, headerDelayMs: 60_000, usage })}`;
  fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    signal: controller.signal,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model: MODELS.counted, messages: [{ role: "user", content }] }),
  }).catch(() => undefined); // its own leaving
  return { leave: () => controller.abort() };
}

/** Pieces that streams are made of, good and bad. */
const PIECES = [
  'data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n',
  'data: {"choices":[{"index":0,"delta":{"content":"w\\u00f6rd\\ud83c\\udf0d"}}]}\r\n\r\n',
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
  'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":-7,"total_tokens":1e400}}\n\n',
  'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}\n\n',
  'data: {"choices":[],"usage":[[[{"prompt_tokens":"x"}]]]}\n\n',
  "data: [DONE]\n\n",
  ": comment\n\n",
  'event: error\ndata: {"error":{"message":"no"}}\n\n',
  'data: {"error":null,"choices":null}\n\n',
  "data: {\n\n",
  "data:\n\n",
  "\n\n\n",
  "\r",
  "id: 1\nretry: 5\ndata: null\n\n",
  "\u0000\ufeff\ufffd",
  'data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{\\"a\\":"}}]}}]}\n\n',
  '"content":"outside of any frame',
] as const;

test(`${FUZZED} streams of random pieces crash nothing, and the ledger balances`, { timeout: 300_000 }, async () => {
  const chance = seededChance(20_260_102);
  const streams = upTo(FUZZED).map(() => {
    const pieces = Array.from({ length: 1 + chance(12) }, () => PIECES[chance(PIECES.length)] ?? "");
    const text = pieces.map((piece) => (chance(6) === 0 ? piece.slice(0, chance(piece.length)) : piece)).join("");
    const plan: Directive = { ...asRaw(text) };
    if (chance(3) === 0) plan.pieceBytes = 1 + chance(9);
    if (chance(4) === 0) plan.cutAtByte = chance(text.length + 1);
    return plan;
  });
  const wrong: object[] = [];
  await inTurns(streams, async (plan) => {
    const outcome = await stream(plan);
    const isDelivered = textOf({ body: withoutError(outcome.body) }) !== "";
    const charge = outcome.requestId === "" ? undefined : await chargeOf(outcome.requestId);
    if (outcome.status === 0 || (isDelivered && (charge ?? 0) <= 0))
      wrong.push({ plan, status: outcome.status, charge });
  });
  expect(wrong).toEqual([]);
  expect(await (await fetch(`${server.url}/readyz`)).text()).toBe("ok");
  expect((await books.audit()).faults).toEqual([]);
  const [negative] = await books.rows("SELECT COUNT(*) AS total FROM ledger WHERE kind = 'charge' AND used_delta < 0");
  expect(Number(negative?.["total"])).toBe(0);
});

test("SIGTERM lets a running stream finish, then the process ends with 0", async () => {
  const other = await makeSite("sqlite", { upstreamUrl: upstream.url, quotas: [10 ** 9] });
  const draining = await startServer(other.env);
  let isAnswering = false;
  const leaves = (received: Buffer): boolean => {
    isAnswering ||= received.includes('"content":"');
    return false;
  };
  const plan = { text: TEXT, chunks: 30, chunkDelayMs: 30 };
  const running = callChat(draining.url, other.people[0]?.key ?? "", {
    model: MODELS.counted,
    isStream: true,
    plan,
    leaves,
  });
  await until(() => isAnswering, "the first token");
  const ended = draining.end("SIGTERM");
  const outcome = await running;
  expect(outcome.isComplete).toBe(true);
  expect(textOf(outcome)).toBe(TEXT);
  expect(await ended).toEqual({ code: 0, signal: null });
  const kept = await openTestLedger(other);
  expect(await kept.rows(`SELECT used_delta FROM ledger WHERE entry_id = '${outcome.requestId}'`)).toHaveLength(1);
  await kept.close();
  await other.remove();
});
