/** Sockets of /v1/responses over real WebSockets: frames become calls, conversations go on with new input alone, and sockets end in order. */
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  TEST_KEY,
  type TestRelay,
  type TestRelayOptions,
  newChannel,
  newToken,
  newUser,
  newWorld,
  startTestRelay,
  until,
} from "../support/relay/harness.ts";

const MODEL = "gpt-4o";
const [OPENAI, ANTHROPIC] = [1, 14];
const AUTH = { authorization: `Bearer sk-${TEST_KEY}` };

interface Event {
  type: string;
  status?: number;
  stream_id?: string;
  error?: { code: string; message: string; param: string | null };
  response?: { id: string; status: string; output: { type: string; content?: { text: string }[] }[]; usage: unknown };
  [name: string]: unknown;
}

/** A client of the socket that remembers what it heard. */
class SocketClient {
  readonly socket: WebSocket;
  readonly events: Event[] = [];
  closed: number | undefined;
  refused: number | undefined;

  constructor(relay: TestRelay, headers: Readonly<Record<string, string>> = AUTH, protocols: string[] = []) {
    this.socket = new WebSocket(`${relay.url.replace("http", "ws")}/v1/responses`, protocols, { headers });
    this.socket.on("message", (data) => this.events.push(JSON.parse((data as Buffer).toString()) as Event));
    this.socket.on("close", (code) => (this.closed = code));
    this.socket.on("error", () => undefined);
    this.socket.on("unexpected-response", (_request, answer) => {
      this.refused = answer.statusCode;
      answer.resume();
    });
  }

  async opened(): Promise<this> {
    await until(() => this.socket.readyState === WebSocket.OPEN);
    return this;
  }

  /** The socket once its handshake was answered, whatever a client of this kind makes of the answer. */
  async closedOrOpen(): Promise<WebSocket> {
    await until(() => this.socket.readyState !== WebSocket.CONNECTING);
    return this.socket;
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame));
  }

  create(fields: object = {}): void {
    this.send({ type: "response.create", model: MODEL, store: false, input: "hi", ...fields });
  }

  all(type: string): Event[] {
    return this.events.filter((event) => event.type === type);
  }

  /** Waits for the answer with that number, from 1. */
  async answer(count = 1): Promise<Event> {
    await until(() => this.all("response.completed").length + this.all("error").length >= count);
    return this.events.filter(({ type }) => type === "response.completed" || type === "error")[count - 1] as Event;
  }
}

let upstream: FakeUpstream;
let relay: TestRelay;

async function start(options: TestRelayOptions = {}, type = OPENAI): Promise<void> {
  relay = await startTestRelay({ world: newWorld(), ...options });
  relay.world.channels.push(newChannel({ type, baseUrl: upstream.url }));
}

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  await start();
});
afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const connect = (headers?: Readonly<Record<string, string>>) => new SocketClient(relay, headers).opened();
const sent = (index: number) => upstream.requests[index]?.json ?? {};
const inputOf = (index: number) => sent(index)["input"] as Readonly<Record<string, unknown>>[];
const textOf = ({ response }: Event) => response?.output.map(({ content }) => content?.[0]?.text).join("");
const charges = () => relay.billing.settlements.map(({ charge }) => charge);

describe("an answer on a socket", () => {
  test.each([
    ["an upstream of the same format", OPENAI],
    ["an upstream of another format", ANTHROPIC],
  ])("of %s has the events of a stream, and is a call of its own", async (_name, type) => {
    relay.world.channels = [newChannel({ type, baseUrl: upstream.url })];
    const client = await connect();
    client.create();
    const { response } = await client.answer();
    expect(response?.status).toBe("completed");
    client.create({ input: "again" });
    await client.answer(2);
    expect(charges()).toHaveLength(2);
    expect(charges().every((charge) => charge > 0)).toBe(true);
    const overHttp = await relay.post("/v1/responses", { model: MODEL, store: false, input: "hi", stream: true });
    const types = [...(await overHttp.text()).matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    const first = client.events.slice(0, client.events.findIndex((event) => event.type === "response.completed") + 1);
    expect(first.map((event) => event.type)).toEqual(types);
    await until(() => relay.billing.holds.size === 0);
    client.socket.close();
  });

  test("is read by OpenAI's own library", async () => {
    const client = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${relay.url}/v1` });
    const socket = new ResponsesWS(client);
    socket.send({ type: "response.create", model: MODEL, store: false, input: "hi", stream_id: "main" });
    let text = "";
    for await (const event of socket) {
      if (event.type === "error") throw event.error;
      if (event.type !== "message") continue;
      const { message } = event;
      if (message.type === "response.output_text.delta") text += message.delta;
      if (message.type === "response.completed") break;
    }
    socket.close();
    expect(text.length).toBeGreaterThan(5);
  });

  test("goes on from the one before with its new input alone, whatever the upstream keeps", async () => {
    const client = await connect();
    client.create({ instructions: "Be brief." });
    const first = await client.answer();
    client.create({ previous_response_id: first.response?.id, input: [{ role: "user", content: "and then?" }] });
    const second = await client.answer(2);
    expect(second.type).toBe("response.completed");
    expect(sent(1)["previous_response_id"]).toBeUndefined();
    expect(inputOf(1).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(inputOf(1)[1])).toContain(textOf(first));
    client.create({ previous_response_id: second.response?.id, input: "once more" });
    await client.answer(3);
    expect(inputOf(2)).toHaveLength(5);
  });

  test("names the one before where the upstream keeps it", async () => {
    const client = await connect();
    client.create({ store: true });
    const first = await client.answer();
    client.create({ store: true, previous_response_id: first.response?.id, input: "more" });
    await client.answer(2);
    expect(sent(1)).toMatchObject({ previous_response_id: first.response?.id, input: "more" });
  });

  test("of a warm-up asks no model and costs nothing; the next one has what it brought", async () => {
    const client = await connect();
    client.create({ generate: false, input: [{ role: "user", content: "prepare" }] });
    const warm = await client.answer();
    expect(warm.response).toMatchObject({ status: "completed", output: [] });
    expect([upstream.requests.length, charges().length]).toEqual([0, 0]);
    client.create({ previous_response_id: warm.response?.id, input: "go" });
    await client.answer(2);
    expect(JSON.stringify(inputOf(0))).toMatch(/prepare.*go/);
    expect(sent(0)["generate"]).toBeUndefined();
  });

  test("leaves reasoning out that only its upstream could read, and ids that need it", async () => {
    upstream.plan({ reasoning: "hm", text: "yes" });
    const client = await connect();
    client.create();
    const first = await client.answer();
    client.create({ previous_response_id: first.response?.id, input: "more" });
    await client.answer(2);
    expect(inputOf(1).map(({ type, id }) => [type, id])).toEqual([
      ["message", undefined],
      ["message", undefined],
      ["message", undefined],
    ]);
    client.create({ include: ["reasoning.encrypted_content"] });
    const third = await client.answer(3);
    client.create({ previous_response_id: third.response?.id, input: "more" });
    await client.answer(4);
    expect(inputOf(3).map(({ type }) => type)).toEqual(["message", "reasoning", "message", "message"]);
  });
});

describe("lanes", () => {
  test("answer side by side, each in its order, and name themselves", async () => {
    const gate = Promise.withResolvers<void>();
    upstream.plan({ beforeHead: gate.promise });
    const client = await connect();
    client.create({ stream_id: "a" });
    client.create({ stream_id: "a" });
    client.create({ stream_id: "b" });
    await until(() => upstream.requests.length === 2);
    gate.resolve();
    await client.answer(3);
    const lanes = client.all("response.completed").map((event) => event.stream_id);
    expect(lanes.toSorted()).toEqual(["a", "a", "b"]);
    expect(client.events.every(({ stream_id: lane }) => lane === "a" || lane === "b")).toBe(true);
  });

  test("fork a conversation of another lane", async () => {
    const client = await connect();
    client.create({ stream_id: "a" });
    const first = await client.answer();
    client.create({ stream_id: "b", previous_response_id: first.response?.id, input: "fork" });
    const forked = await client.answer(2);
    expect([forked.stream_id, inputOf(1).length]).toEqual(["b", 3]);
  });

  test("are bounded, and so are frames that wait", async () => {
    upstream.plan({ neverAnswers: true });
    const client = await connect();
    for (let lane = 0; lane < 34; lane += 1) client.create({ stream_id: `lane ${lane}` });
    const refused = await client.answer();
    expect(refused).toMatchObject({ status: 429, error: { code: "websocket_stream_limit_reached" } });
    await until(() => upstream.requests.length === 16);
    client.socket.terminate();
    await until(() => relay.billing.holds.size === 0 && relay.takenBytes() === 0);
  });
});

describe("a frame that cannot be answered", () => {
  test.each([
    ["is no JSON", "no json", "invalid_json", null],
    ["has another type", JSON.stringify({ type: "session.update" }), "socket_frame_invalid", "type"],
    [
      "has a lane that is no text",
      JSON.stringify({ type: "response.create", stream_id: 7 }),
      "socket_frame_invalid",
      "stream_id",
    ],
    [
      "has a switch that is none",
      JSON.stringify({ type: "response.create", generate: "no" }),
      "socket_frame_invalid",
      "generate",
    ],
    ["names no model", JSON.stringify({ type: "response.create", input: "hi" }), "model_missing", "model"],
  ])("because it %s is refused by name, and the socket goes on", async (_name, text, code, param) => {
    const client = await connect();
    client.socket.send(text);
    expect(await client.answer()).toMatchObject({
      type: "error",
      error: { code, ...(param === null ? {} : { param }) },
    });
    client.create();
    expect((await client.answer(2)).type).toBe("response.completed");
  });

  test("because its answer before is of another connection says so, as clients know it", async () => {
    const client = await connect();
    client.create({ previous_response_id: "resp_elsewhere" });
    expect(await client.answer()).toMatchObject({
      status: 400,
      error: { code: "previous_response_not_found", param: "previous_response_id" },
    });
    expect(upstream.requests).toHaveLength(0);
  });

  test("for its upstream has that one's words and status", async () => {
    upstream.plan({ status: 400, error: { message: "No such tool.", code: "bad_tool" } });
    const client = await connect();
    client.create();
    const refused = await client.answer();
    expect(refused).toMatchObject({ status: 400, error: { code: "bad_tool" } });
    expect(refused.error?.message).toContain("No such tool.");
    expect((refused["headers"] as Record<string, string>)["x-request-id"]).toMatch(/^req-/);
  });

  test("for a balance that does not reach costs nothing", async () => {
    relay.billing.balance = 0;
    const client = await connect();
    client.create();
    expect((await client.answer()).status).toBe(403);
    expect(charges()).toEqual([]);
  });

  test("because input comes for a response under way is given back", async () => {
    const client = await connect();
    client.send({ type: "response.steer", previous_response_id: "resp_1", input: "stop" });
    await until(() => client.events.length > 0);
    expect(client.events[0]).toMatchObject({
      type: "response.steer.failed",
      error: { code: "steering_not_supported" },
      steer: { input: "stop", previous_response_id: "resp_1" },
    });
  });
});

describe("a socket", () => {
  test("of a browser has its key in the list of subprotocols, which no answer repeats and no upstream sees", async () => {
    const key = `openai-insecure-api-key.sk-${TEST_KEY}`;
    const client = await new SocketClient(relay, {}, [key, "openai-beta.responses-v1", "responses"]).opened();
    expect(client.socket.protocol).toBe("responses");
    client.create();
    client.create({ generate: false });
    expect([(await client.answer()).type, (await client.answer(2)).type]).toEqual([
      "response.completed",
      "response.completed",
    ]);
    expect(charges()).toHaveLength(1);
    expect(JSON.stringify([upstream.requests[0]?.headers, client.events])).not.toContain(TEST_KEY);
    // A list of nothing else gets no answer of it: the key would be in the log of every proxy between.
    expect((await new SocketClient(relay, { ...AUTH }, ["openai-beta.responses-v1"]).closedOrOpen()).protocol).toBe("");
  });

  test.each([
    ["without a key", {}, 401],
    ["with an unknown key", { authorization: "Bearer sk-none" }, 401],
  ])("%s is refused before it opens", async (_name, headers, status) => {
    const client = new SocketClient(relay, headers);
    await until(() => client.refused !== undefined);
    expect(client.refused).toBe(status);
  });

  test("of a user who was banned meanwhile, or whose key was, gets no more answers", async () => {
    const client = await connect();
    client.create();
    await client.answer();
    relay.world.users = [newUser({ status: 2 })];
    client.create();
    expect((await client.answer(2)).status).toBe(403);
    relay.world.users = [newUser()];
    relay.world.tokens = new Map([[TEST_KEY, newToken({ status: 2 })]]);
    client.create();
    expect((await client.answer(3)).status).toBe(401);
    await until(() => client.closed !== undefined);
    expect([client.closed, charges().length]).toEqual([1008, 1]);
  });

  test("that its client leaves ends the upstream's call, which is charged for what was read", async () => {
    upstream.plan({ chunks: 400, chunkDelayMs: 20 });
    const client = await connect();
    client.create();
    await until(() => client.all("response.output_text.delta").length > 2);
    client.socket.terminate();
    await until(() => upstream.requests[0]?.wasAborted === true);
    await until(() => relay.billing.holds.size === 0 && relay.takenBytes() === 0);
    expect(charges()).toHaveLength(1);
  });

  test("counts a frame that has not arrived whole as its user's memory, and gives it back", async () => {
    await relay.close();
    const MIB = 1_048_576;
    await start({ limits: { bodyBytes: 2 * MIB, sseBudgetBytes: 6 * MIB } });
    const clients = await Promise.all([1, 2, 3].map(() => connect()));
    for (const { socket } of clients) socket.send("x".repeat(1.9 * MIB), { fin: false });
    await until(() => clients.some(({ closed }) => closed === 1009));
    expect(clients.flatMap(({ events }) => events)[0]?.error?.code).toBe("request_memory_exceeded");
    for (const { socket } of clients) socket.terminate();
    await until(() => relay.takenBytes() === 0);
  });

  test("of a server that stops lets its answer end, and is closed behind it", async () => {
    const gate = Promise.withResolvers<void>();
    upstream.plan({ beforeHead: gate.promise });
    const client = await connect();
    const idle = await connect();
    client.create();
    await until(() => upstream.requests.length === 1);
    const closing = relay.close();
    await until(() => idle.closed !== undefined);
    expect([idle.closed, client.closed]).toEqual([1001, undefined]);
    gate.resolve();
    expect((await client.answer()).type).toBe("response.completed");
    await closing;
    await until(() => client.closed === 1001);
  });

  test("is offered by its status to a client whose handshake got lost", async () => {
    const answer = await fetch(`${relay.url}/v1/responses`, { headers: AUTH });
    expect(answer.status).toBe(426);
  });
});
