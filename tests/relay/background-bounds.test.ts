/** Bounds of responses in the background, and a database that is away when one ends: each ends in a state that can be read, charged once, and nothing hangs. */
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BackgroundResponses } from "../../server/src/relay/call/ports.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay, until } from "../support/relay/harness.ts";
import { memoryBackground } from "../support/relay/memory-stores.ts";

const HOUR_SECONDS = 3600;
const MIB = 1_048_576;
const ASK = { model: "gpt-4o", input: "hi", background: true } as const;
const TEXT = "One two three four five six seven eight.";
let upstream: FakeUpstream;
let relay: TestRelay;
let kept: BackgroundResponses;
let client: OpenAI;
/** Unix seconds of the relay. */
let now = 1_790_000_000;
/** How often it was asked what is to be cancelled, which is once for each look at those under way. */
let looks = 0;
/** Waited for before a write of an end; one that rejects is a database that is away. */
let beforeEnd: () => Promise<void>;
let beforeEvents: () => Promise<void>;
let endsTried = 0;

/** The store in memory, whose writes wait for the two above. */
const store: BackgroundResponses = {
  begin: (response) => kept.begin(response),
  async change(id, change) {
    if (change.status !== undefined && change.status !== "in_progress") {
      endsTried += 1;
      await beforeEnd();
    }
    await kept.change(id, change);
  },
  async addEvents(id, events) {
    await beforeEvents();
    await kept.addEvents(id, events);
  },
  eventsAfter: (id, sequence) => kept.eventsAfter(id, sequence),
  find: (id) => kept.find(id),
  askToCancel: (id) => kept.askToCancel(id),
  askedToCancel() {
    looks += 1;
    return kept.askedToCancel();
  },
  remove: (id) => kept.remove(id),
};

beforeEach(async () => {
  kept = memoryBackground();
  [beforeEnd, beforeEvents] = [() => Promise.resolve(), () => Promise.resolve()];
  [looks, endsTried] = [0, 0];
  upstream = await startFakeUpstream({ validates: false });
  const nowSeconds = (): number => now;
  const logger = { error: () => undefined, warn: () => undefined };
  relay = await startTestRelay({
    world: newWorld(),
    backgroundResponses: store,
    backgroundRetryMs: 0,
    nowSeconds,
    logger,
  });
  relay.world.channels = [newChannel({ baseUrl: upstream.url })];
  client = new OpenAI({ baseURL: `${relay.url}/v1`, apiKey: `sk-${TEST_KEY}`, maxRetries: 0 });
});
afterEach(async () => {
  await until(() => relay.billing.holds.size === 0 && relay.takenBytes() === 0);
  await relay.close();
  await upstream.close();
});

const charges = () => relay.billing.settlements.map(({ charge }) => charge);
const away = () => Promise.reject(new Error("the database is away"));

/** Polls as a program does. */
async function ended(id: string): Promise<OpenAI.Responses.Response> {
  const isOpen = ({ status }: OpenAI.Responses.Response) => status === "queued" || status === "in_progress";
  let response = await client.responses.retrieve(id);
  await expect.poll(async () => isOpen((response = await client.responses.retrieve(id)))).toBe(false);
  return response;
}

/** The upstream's answer holds still behind its words until the test is over. */
function holdStill() {
  const reached = Promise.withResolvers<void>();
  const beforeFrame = (frame: string): Promise<void> => {
    if (!frame.startsWith("event: response.output_text.done")) return Promise.resolve();
    reached.resolve();
    return new Promise(() => undefined);
  };
  upstream.next({ text: TEXT, beforeFrame });
  return reached.promise;
}

/** The frames that other processes can read. */
async function keptFrames(id: string): Promise<string[]> {
  const frames: string[] = [];
  for (let last = -1; ;) {
    const events = await kept.eventsAfter(id, last);
    if (events === undefined) return frames;
    frames.push(...events.frames);
    last = events.lastSequence;
  }
}
const numbersOf = (frames: readonly string[]) =>
  frames.map((frame) => Number(/"sequence_number":(\d+)/.exec(frame)?.[1]));

describe("an hour", () => {
  test("is what one may take: then its upstream is left, and what was delivered is charged once", async () => {
    const reached = holdStill();
    const { id } = await client.responses.create(ASK);
    await reached;
    now += HOUR_SECONDS;
    const seen = looks;
    // One look may be under way already.
    await until(() => looks >= seen + 2);
    expect((await client.responses.retrieve(id)).status).toBe("in_progress");
    now += 1;
    const whole = await ended(id);
    expect(whole).toMatchObject({ status: "failed", error: { message: expect.stringContaining("may take an hour") } });
    expect(JSON.stringify(whole.output)).toContain(TEXT);
    await until(() => upstream.requests[0]?.wasAborted === true);
    expect([charges().length, (charges()[0] ?? 0) > 0]).toEqual([1, true]);
    expect((await client.responses.create(ASK)).status).toBe("queued");
    await until(() => charges().length === 2);
  });

  test("ends the stream of a client that follows it, with its end as the last event", async () => {
    const reached = holdStill();
    const events = await client.responses.create({ ...ASK, stream: true });
    const types: string[] = [];
    const followed = (async () => {
      for await (const { type } of events) types.push(type);
    })();
    await reached;
    now += HOUR_SECONDS + 1;
    await followed;
    expect([types.at(-1), charges().length]).toEqual(["response.failed", 1]);
  });
});

describe("bytes", () => {
  test("of a response beyond what is kept end it; a poll reads that, and it is charged once", async () => {
    upstream.next({ text: "x".repeat(9 * MIB), chunks: 64 });
    const { id } = await client.responses.create(ASK);
    const whole = await ended(id);
    expect(whole).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("longer than what is kept") },
    });
    expect(charges()).toHaveLength(1);
  });

  test("of the events of a stream beyond what is kept end it, and its client reads so", async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on("warning", note);
    upstream.next({ text: "x".repeat(12 * MIB), chunks: 64 });
    const events = await client.responses.create({ ...ASK, stream: true });
    let [last, id] = ["", ""];
    for await (const event of events) {
      last = event.type;
      if (event.type === "response.created") ({ id } = event.response);
    }
    expect(last).toBe("response.failed");
    expect((await ended(id)).error?.message).toContain("longer than what is kept");
    expect(charges()).toHaveLength(1);
    const frames = await keptFrames(id);
    expect(numbersOf(frames)).toEqual(frames.map((_, index) => index));
    process.off("warning", note);
    // Such as of listeners that stay with each wait for a client that reads slowly.
    expect(warnings).toEqual([]);
  });
});

describe("a database that is away when one ends", () => {
  test("and comes back: the answer is whole, charged once, and its last event stands there once", async () => {
    const back = Promise.withResolvers<void>();
    let isAway = true;
    beforeEnd = async () => {
      if (endsTried > 3) await back.promise;
      if (isAway) await away();
    };
    upstream.next({ text: TEXT });
    const events = await client.responses.create({ ...ASK, stream: true });
    let id = "";
    for await (const event of events) {
      if (event.type !== "response.created") continue;
      ({ id } = event.response);
      break;
    }
    await until(() => endsTried > 3);
    expect([(await client.responses.retrieve(id)).status, charges().length]).toEqual(["in_progress", 1]);
    isAway = false;
    back.resolve();
    expect(await ended(id)).toMatchObject({ status: "completed", output_text: TEXT });
    const frames = await keptFrames(id);
    expect(numbersOf(frames)).toEqual(frames.map((_, index) => index));
    expect(frames.filter((frame) => frame.startsWith("event: response.completed"))).toHaveLength(1);
    expect(charges()).toHaveLength(1);
  });

  test("and takes no events either: all of them are there once it takes them", async () => {
    let tries = 0;
    beforeEvents = async () => {
      tries += 1;
      if (tries < 4) await away();
    };
    upstream.next({ text: TEXT });
    const stream = await client.responses.create({ ...ASK, stream: true });
    const seen: { type: string; id: string }[] = [];
    for await (const event of stream)
      seen.push({ type: event.type, id: event.type === "response.created" ? event.response.id : "" });
    const id = seen[0]?.id ?? "";
    expect(await ended(id)).toMatchObject({ status: "completed" });
    const frames = await keptFrames(id);
    expect(frames).toHaveLength(seen.length);
    expect(numbersOf(frames)).toEqual(frames.map((_, index) => index));
  });

  test("and stays away: who follows it reads the whole answer, a poll reads that it could not be stored, and it is charged once", async () => {
    beforeEnd = away;
    upstream.next({ text: TEXT });
    const stream = await client.responses.create({ ...ASK, stream: true });
    let [last, id] = ["", ""];
    for await (const event of stream) {
      last = event.type;
      if (event.type === "response.created") ({ id } = event.response);
    }
    expect(last).toBe("response.completed");
    await until(() => endsTried >= 60);
    beforeEnd = () => Promise.resolve();
    const read = await ended(id);
    expect(read).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("could not be stored") },
    });
    expect([charges().length, await client.responses.retrieve(id)]).toEqual([1, read]);
  });

  test("is asked in vain for a response: 503, and what was made is there afterwards", async () => {
    const find = kept.find;
    const { id } = await client.responses.create(ASK);
    kept.find = away;
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 503 });
    kept.find = find;
    expect(await ended(id)).toMatchObject({ status: "completed" });
    expect(charges()).toHaveLength(1);
  });
});
