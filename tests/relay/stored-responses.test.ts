/** Stored responses: read, listed, cancelled and deleted at the channel and with the key that made them, by their user alone. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NO_COSTS } from "../../contract/src/pricing/upstream-cost.ts";
import type { SnapshotChannel } from "../../server/src/snapshot/snapshot.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newToken,
  newUser,
  newWorld,
  startTestRelay,
  withOptions,
} from "../support/relay/harness.ts";
import { memoryResponses } from "../support/relay/memory-stores.ts";

const OTHER_KEY = "b".repeat(48);
const ID = "resp_0123456789abcdef";
const STORED = { id: ID, object: "response", status: "completed", output: [] };
let first: FakeUpstream;
let second: FakeUpstream;
let relay: TestRelay;

/** Makes the response at one of the upstreams, and reads on a second relay where `isElsewhere`: it has the database alone in common. */
beforeEach(async () => {
  [first, second] = [await startFakeUpstream({ validates: false }), await startFakeUpstream({ validates: false })];
  const tokens = new Map([
    [TEST_KEY, newToken()],
    [OTHER_KEY, newToken({ id: 2, userId: 2 })],
  ]);
  const world = newWorld({ users: [newUser(), newUser({ id: 2, username: "bob" })], tokens });
  relay = await startTestRelay({ world, storedResponses: memoryResponses() });
  world.channels = [
    newChannel({ baseUrl: first.url }),
    newChannel({ id: 2, name: "second", baseUrl: second.url, key: "sk-second-secret-key" }),
  ];
});
afterEach(async () => {
  await relay.close();
  await first.close();
  await second.close();
});

const answer = (changes: object = {}) => ({
  id: ID,
  object: "response",
  created_at: 1_760_000_000,
  status: "completed",
  model: "gpt-4o",
  output: [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Hi.", annotations: [] }],
    },
  ],
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  ...changes,
});
const json = (value: object) => ({ rawBody: JSON.stringify(value), contentType: "application/json" });

/** Asks the second channel for a response, which gets the id. */
async function make(body: object = {}, made = answer()): Promise<Response> {
  const [one, two] = relay.world.channels as [SnapshotChannel, SnapshotChannel];
  relay.world.channels = [{ ...one, status: 2 }, two];
  second.next(json(made));
  const sent = await relay.post("/v1/responses", { model: "gpt-4o", input: "hi", ...body });
  relay.world.channels = [one, two];
  await sent.clone().text();
  return sent;
}

const ask = (path: string, method = "GET", key = TEST_KEY) =>
  fetch(`${relay.url}/v1/responses/${path}`, { method, headers: { authorization: `Bearer sk-${key}` } });
const lastOf = ({ requests }: FakeUpstream) => {
  const { method, path, headers } = requests.at(-1) ?? {};
  return [method, path, headers?.["authorization"]];
};
const errorOf = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as { error: { code: string; message: string; type: string } }).error,
});

describe("a response that its upstream stores", () => {
  test.each([
    ["GET", ID, ""],
    ["GET", `${ID}/input_items`, "?limit=5&order=asc"],
    ["GET", ID, "?include[]=file_search_call.results"],
    ["POST", `${ID}/cancel`, ""],
    ["DELETE", ID, ""],
  ])("%s %s%s goes to the channel and key that made it, for nothing", async (method, path, query) => {
    await make();
    const charged = relay.billing.settlements.length;
    second.next(json(STORED));
    const read = await ask(path + query, method);
    expect([read.status, await read.json()]).toEqual([200, STORED]);
    expect(read.headers.get("x-request-id")).toMatch(/^req-test/);
    expect(lastOf(second)).toEqual([method, `/v1/responses/${path}${query}`, "Bearer sk-second-secret-key"]);
    expect([first.count, relay.billing.settlements.length, relay.billing.holds.size]).toEqual([0, charged, 0]);
  });

  test("is known from a stream too, and its events can be read again without a second charge", async () => {
    const created = JSON.stringify({
      type: "response.created",
      sequence_number: 0,
      response: answer({ status: "in_progress" }),
    });
    const completed = JSON.stringify({ type: "response.completed", sequence_number: 1, response: answer() });
    const events = `event: response.created\ndata: ${created}\n\nevent: response.completed\ndata: ${completed}\n\n`;
    const [one, two] = relay.world.channels as [SnapshotChannel, SnapshotChannel];
    relay.world.channels = [two];
    second.next({ rawBody: events, contentType: "text/event-stream" });
    await (await relay.post("/v1/responses", { model: "gpt-4o", input: "hi", stream: true })).text();
    relay.world.channels = [one, two];
    expect(relay.billing.settlements).toHaveLength(1);
    const rest = `event: response.completed\ndata: ${completed}\n\n`;
    second.next({ rawBody: rest, contentType: "text/event-stream" });
    const again = await ask(`${ID}?stream=true&starting_after=0`);
    expect([again.headers.get("content-type"), await again.text()]).toEqual(["text/event-stream", rest]);
    expect(lastOf(second)[1]).toBe(`/v1/responses/${ID}?stream=true&starting_after=0`);
    expect(relay.billing.settlements).toHaveLength(1);
  });

  test("is gone on from where it is stored, without an option", async () => {
    await make();
    expect(relay.world.options.PromptCacheAffinityEnabled).toBe(false);
    for (let index = 0; index < 5; index += 1)
      await (await relay.post("/v1/responses", { model: "gpt-4o", input: "and?", previous_response_id: ID })).text();
    expect([first.count, second.count]).toEqual([0, 6]);
  });

  test("is not known once it is deleted", async () => {
    await make();
    second.next(json({ id: ID, object: "response", deleted: true }));
    expect(await (await ask(ID, "DELETE")).json()).toMatchObject({ deleted: true });
    expect(await errorOf(await ask(ID))).toMatchObject({ status: 404, code: "response_not_found" });
    expect(second.count).toBe(2);
  });

  test("is read with the key of the channel that has it", async () => {
    const [, two] = relay.world.channels as [SnapshotChannel, SnapshotChannel];
    const member = (id: number) => ({
      ...two,
      key: `sk-key-number-${id}`,
      costs: NO_COSTS,
      ofKey: { id, mark: `…${id}`, channel: two },
    });
    const members = [1, 2, 3].map(member);
    relay.world.channels = [{ ...two, key: "", keys: { isRoundRobin: true, members } } as unknown as SnapshotChannel];
    second.next(json(answer()));
    await (await relay.post("/v1/responses", { model: "gpt-4o", input: "hi" })).text();
    const used = lastOf(second)[2];
    for (let index = 0; index < 4; index += 1) {
      second.next(json(STORED));
      await ask(ID);
      expect(lastOf(second)[2]).toBe(used);
    }
  });
});

describe("nobody but its user", () => {
  test("reads a response, goes on from it or claims it", async () => {
    await make();
    const other = await errorOf(await ask(ID, "GET", OTHER_KEY));
    expect(other).toMatchObject({ status: 404, code: "response_not_found", type: "invalid_request_error" });
    expect(other.message).toContain(`Response with id '${ID}' not found.`);
    for (const [method, path] of [
      ["DELETE", ID],
      ["POST", `${ID}/cancel`],
      ["GET", `${ID}/input_items`],
    ] as const)
      expect((await ask(path, method, OTHER_KEY)).status).toBe(404);
    const body = { model: "gpt-4o", input: "and?", previous_response_id: ID };
    const goneOn = await relay.post("/v1/responses", body, { authorization: `Bearer sk-${OTHER_KEY}` });
    expect(await errorOf(goneOn)).toMatchObject({ status: 400, code: "previous_response_not_found" });
    expect([first.count, second.count]).toEqual([0, 1]);
    // An upstream that repeats what the request said of an id gives nothing away.
    second.plan(json({ metadata: { id: ID }, ...answer({ id: "resp_fedcba9876543210" }) }));
    first.plan(json({ metadata: { id: ID }, ...answer({ id: "resp_fedcba9876543210" }) }));
    await (
      await relay.post("/v1/responses", { model: "gpt-4o", input: "x" }, { authorization: `Bearer sk-${OTHER_KEY}` })
    ).text();
    expect((await ask(ID, "GET", OTHER_KEY)).status).toBe(404);
  });

  test.each([
    ["store is false", { store: false }, answer()],
    ["its id is one that others may have too", {}, answer({ id: "resp_1" })],
  ])("where %s nothing is known of it", async (_name, body, made) => {
    await make(body, made);
    expect((await ask(made.id)).status).toBe(404);
    expect(second.count).toBe(1);
  });
});

describe("what stands in the way", () => {
  test.each([
    ["a channel that was deleted", () => void (relay.world.channels = relay.world.channels.slice(0, 1)), 404],
    [
      "a channel that left the group",
      () => void ((relay.world.channels[1] as SnapshotChannel).groupNames = ["vip"]),
      404,
    ],
    ["a channel that is switched off", () => void ((relay.world.channels[1] as SnapshotChannel).status = 2), 503],
    [
      "a token that may not use the model",
      () => void relay.world.tokens.set(TEST_KEY, newToken({ modelLimits: new Set(["o3"]) })),
      403,
    ],
    [
      "a token that may not be used from here",
      () => void relay.world.tokens.set(TEST_KEY, newToken({ isAddressAllowed: () => false })),
      403,
    ],
    [
      "a limit of calls",
      () => withOptions(relay.world, { ModelRequestRateLimitEnabled: true, ModelRequestRateLimitSuccessCount: 1 }),
      429,
    ],
  ])("%s is said", async (name, change, status) => {
    await make();
    change();
    if (status === 429) await (await relay.post("/v1/responses", { model: "gpt-4o", input: "hi" })).text();
    const read = await errorOf(await ask(ID));
    expect(read.status).toBe(status);
    if (name.includes("deleted")) expect(read.message).toContain("the channel that stores it is not there any more");
    expect(second.requests.filter(({ method }) => method === "GET")).toEqual([]);
  });

  test("an upstream's own words reach the client, those about its account do not", async () => {
    await make();
    const words = "Response is not in the background. sk-second-secret-key";
    second.next({ status: 400, error: { message: words, code: "not_cancellable" } });
    const refused = await errorOf(await ask(`${ID}/cancel`, "POST"));
    expect(refused).toMatchObject({ status: 400, code: "not_cancellable" });
    expect([refused.message.includes("background"), refused.message.includes("secret")]).toEqual([true, false]);
    second.next({ status: 401, error: { message: "Incorrect API key provided: sk-second-secret-key" } });
    expect(await errorOf(await ask(ID))).toMatchObject({ status: 502, code: "channel_key_refused" });
    second.next({ dropsRequest: "destroy" });
    expect((await errorOf(await ask(ID))).status).toBe(502);
    second.next({ rawBody: "<p>hello</p>", contentType: "text/html" });
    expect(await errorOf(await ask(ID))).toMatchObject({ code: "upstream_failed" });
  });

  test("other methods are refused by name, and words of OpenAI's are no ids", async () => {
    expect((await ask(ID, "POST")).status).toBe(405);
    expect((await ask("input_tokens")).status).toBe(405);
    expect((await ask(`${ID}/nothing`)).status).toBe(501);
  });
});
