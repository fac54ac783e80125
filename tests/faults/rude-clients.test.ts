/**
 * Fault: through a real server, clients that die in the middle of their body, read nothing, or disconnect while their charge commits cost other
 * users nothing.
 */
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Plan } from "../fake-upstream/plan.ts";
import { type ClientFormat, CLIENT_FORMATS } from "../support/clients/client-formats.ts";
import { askDeafly, sendPart } from "../support/clients/rude-client.ts";
import { type TestLedger, openTestLedger } from "../support/systems/site.ts";
import { type SoakScene, startSoakScene } from "../support/soak/scene.ts";
import { callStream } from "../support/clients/streaming-client.ts";
import { UPSTREAM_FORMATS } from "../support/clients/upstream-formats.ts";

const MIB = 2 ** 20;
/** Longest pause of an answer, on either side. */
const IDLE_MS = 2_500;

let scene: SoakScene;
let books: TestLedger;
let plan: Plan = {};

beforeAll(async () => {
  scene = await startSoakScene(() => plan, { IDLE_TIMEOUT_MS: String(IDLE_MS), SSE_BUDGET_BYTES: String(40 * MIB) });
  books = await openTestLedger(scene.site);
});

afterAll(async () => {
  await books.close();
  const { wrongValues } = await scene.close();
  if (wrongValues > 0) throw new Error(`behind all of them ${wrongValues} values of the ledger are wrong`);
});

const charges = async (): Promise<number> =>
  Number((await books.rows("SELECT COUNT(*) AS total FROM ledger WHERE kind = 'charge'"))[0]?.["total"]);

const modelOf = ({ name }: ClientFormat): string => UPSTREAM_FORMATS.find((each) => each.name === name)?.model ?? "";

/** A call that everything must be well for. */
async function expectService(): Promise<void> {
  plan = { text: "All is well." };
  for (const format of CLIENT_FORMATS) {
    const call = { url: scene.url, key: scene.key, format, model: modelOf(format), isStream: true, text: "Well?" };
    expect((await callStream(call)).words).toBe("All is well.");
  }
  expect(await (await fetch(`${scene.url}/readyz`)).text()).toBe("ok");
}

test("bodies that end in the middle: no call is made or charged, and no byte of them is stored", async () => {
  await expectService();
  const reached = scene.upstream.count;
  const before = { charges: await charges(), seen: await scene.measure() };
  const died: Promise<void>[] = [];
  for (let index = 0; index < 40; index += 1) {
    const format = CLIENT_FORMATS[index % CLIENT_FORMATS.length];
    if (format === undefined) throw new Error("there is no such format");
    const plain = Buffer.from(JSON.stringify(format.body(modelOf(format), true, "a".repeat(3 * MIB))));
    const isGzipped = index % 3 === 0;
    const body = isGzipped ? gzipSync(plain) : plain;
    const headers = isGzipped ? ["Content-Encoding: gzip"] : [];
    const call = { url: scene.url, key: scene.key, path: format.path(modelOf(format), true), body, headers };
    died.push(sendPart(call, Math.floor(body.length / 2), index % 2 === 0 ? "close" : "reset"));
    // All of these together are more than the budget holds.
    if (index % 10 === 9) await Promise.all(died.splice(0));
  }
  await expectService();
  expect(scene.upstream.count - reached).toBe(CLIENT_FORMATS.length);
  expect((await charges()) - before.charges).toBe(CLIENT_FORMATS.length);
  await scene.untilQuiet();
  const { descriptors } = await scene.measure();
  expect(descriptors - before.seen.descriptors).toBeLessThanOrEqual(10);
});

test("clients that read nothing stop their upstreams, hold little memory, and are let go and charged for what they were sent", async () => {
  const before = { charges: await charges(), seen: await scene.measure() };
  const piece = `data: {"choices":[{"index":0,"delta":{"content":"${"x".repeat(60_000)}"}}]}\n\n`;
  plan = { rawBody: Array.from({ length: 1_000 }, () => piece), chunkDelayMs: 0 };
  const body = Buffer.from(
    JSON.stringify({ model: "gpt-4o", stream: true, messages: [{ role: "user", content: "x" }] }),
  );
  const call = { url: scene.url, key: scene.key, path: "/v1/chat/completions", body };
  const deaf: Socket[] = await Promise.all(Array.from({ length: 12 }, () => askDeafly(call)));
  // From the first bytes on until the first of them is let go.
  const most = { residentBytes: 0, externalBytes: 0 };
  const chargesAndMemory = async (): Promise<number> => {
    const now = await scene.measure();
    most.residentBytes = Math.max(most.residentBytes, now.residentBytes);
    most.externalBytes = Math.max(most.externalBytes, now.externalBytes);
    return charges();
  };
  const patience = { timeout: 12 * IDLE_MS, interval: 200 };
  await expect.poll(chargesAndMemory, patience).toBeGreaterThan(before.charges);
  await expect.poll(charges, patience).toBe(before.charges + deaf.length);
  // 12 answers of 60 MB: a few pieces of each are buffered, and what was allocated on the way to the system's buffers.
  expect(most.externalBytes - before.seen.externalBytes).toBeLessThan(20 * MIB);
  expect(most.residentBytes - before.seen.residentBytes).toBeLessThan(150 * MIB);
  await expect.poll(() => scene.upstream.openCount).toBe(0);
  const rows = await books.rows(
    `SELECT completion_tokens FROM logs WHERE type = 2 ORDER BY id DESC LIMIT ${deaf.length}`,
  );
  const whole = (60_000 * 1_000) / 4;
  for (const row of rows) {
    expect(Number(row["completion_tokens"])).toBeGreaterThan(0);
    expect(Number(row["completion_tokens"])).toBeLessThan(whole);
  }
  for (const socket of deaf) socket.destroy();
  await expectService();
});

/** Blocks all other writes to the database until the returned function is called. */
function lockDatabase(): () => void {
  const database = new DatabaseSync(join(scene.site.place.config.dataDir, "turnpike.db"), { timeout: 5_000 });
  database.exec("BEGIN IMMEDIATE");
  return () => {
    database.exec("ROLLBACK");
    database.close();
  };
}

/** What reached the server before is read when it has answered these: it serves its sockets in order. */
async function expectServerToHaveRead(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) expect((await fetch(`${scene.url}/livez`)).status).toBe(200);
}

test.each(
  CLIENT_FORMATS.flatMap((format) => [true, false].map((isStream) => [format.name, isStream, format] as const)),
)(
  "%s, streamed %s: a client that disconnects while the charge commits is charged once, for the whole answer",
  async (_name, isStream, format) => {
    plan = { text: "One two three four.", chunks: 2 };
    const before = await charges();
    const reached = scene.upstream.count;
    const call = { url: scene.url, key: scene.key, format, model: modelOf(format), isStream, text: "Count." };
    const release = lockDatabase();
    const controller = new AbortController();
    const left = callStream({ ...call, signal: controller.signal });
    await expect
      .poll(() => scene.upstream.count > reached && scene.upstream.openCount === 0, { interval: 10 })
      .toBe(true);
    await expectServerToHaveRead();
    controller.abort();
    const { requestId, body } = await left;
    release();
    await expect.poll(charges, { timeout: 5_000, interval: 20 }).toBe(before + 1);
    const [row] = await books.rows(
      "SELECT request_id, completion_tokens FROM logs WHERE type = 2 ORDER BY id DESC LIMIT 1",
    );
    // As the upstream counted it: a token for each four characters.
    expect(Number(row?.["completion_tokens"])).toBe(5);
    if (isStream) expect(row?.["request_id"]).toBe(requestId);
    else expect(body).toBe("");
  },
);
