/** Realtime sessions over real WebSockets: admission, events, and how sessions end. */
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { WebSocket } from "ws";
import { SOUND } from "../fake-upstream/openai/realtime-session.ts";
import { TEST_KEY, newToken, newUser, until, withOptions } from "../support/relay/harness.ts";
import { MemoryBilling } from "../support/relay/memory-billing.ts";
import { AUTH, MODEL, RealtimeScene, SPOKEN_CHARGE, STEP, UPSTREAM_KEY } from "../support/relay/realtime.ts";

const scene = new RealtimeScene();
const withKey = (...more: string[]): string[] => ["realtime", `openai-insecure-api-key.sk-${TEST_KEY}`, ...more];

/** What a number comes to rest at: it has not moved in ten looks. */
async function restingAt(look: () => number): Promise<number> {
  let [value, looks] = [look(), 0];
  while (looks < 10) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const now = look();
    looks = now === value ? looks + 1 : 0;
    value = now;
  }
  return value;
}

/** Sends a message 32 times, each when the one before was taken; gives how many were. */
function sendMany(socket: WebSocket, message: Buffer): () => number {
  let taken = 0;
  const next = (): void =>
    socket.send(message, { binary: false }, () => {
      taken += 1;
      if (taken < 32) next();
    });
  next();
  return () => taken;
}

describe("a session", () => {
  test.each([
    ["the later API", {}, "response.output_audio.delta"],
    ["the beta", { "openai-beta": "realtime=v1" }, "response.audio.delta"],
  ])("of %s passes both ways; each answer is a charge of its own", async (_name, headers, delta) => {
    const client = await scene.opened([], { ...AUTH, ...headers });
    client.send({ type: "session.update", session: { type: "realtime", instructions: "Be brief." } });
    await client.answer();
    await client.answer();
    expect(client.events.filter(({ type }) => type === delta).map((event) => event["delta"])).toEqual([SOUND, SOUND]);
    expect(client.count("session.updated")).toBe(1);
    expect(scene.charges).toEqual([SPOKEN_CHARGE, SPOKEN_CHARGE]);
    client.socket.close(1000, "bye");
    await scene.released();
    await until(() => scene.seen.closeCode === 1000);
    expect(scene.charges).toHaveLength(2);
  });

  test("is opened by a key among the subprotocols, which goes no further; the version does", async () => {
    scene.relay.world.channels[0] = { ...scene.relay.world.channels[0], modelMapping: { [MODEL]: "eu" } } as never;
    const client = await scene.opened(withKey("openai-beta.realtime-v1"), {}, `?model=${MODEL}&extra=1`);
    expect(client.socket.protocol).toBe("realtime");
    expect(client.headers["x-request-id"]).toBe("req-test-1");
    expect(scene.seen.path).toBe("/v1/realtime?model=eu&extra=1");
    expect(scene.seen.headers).toMatchObject({ authorization: `Bearer ${UPSTREAM_KEY}`, "openai-beta": "realtime=v1" });
    expect(scene.seen.headers["sec-websocket-protocol"]).toBeUndefined();
    expect(JSON.stringify(scene.seen.headers)).not.toContain(TEST_KEY);
  });

  test("has the end of an answer wait for the charge, and keeps the order of what follows", async () => {
    const commit = Promise.withResolvers<void>();
    scene.relay.billing.beforeCommit = commit.promise;
    const client = await scene.opened();
    client.send({ type: "response.create" });
    client.send({ type: "conversation.item.create", item: { type: "message", content: [] } });
    await client.has("response.output_audio.delta");
    // Long enough for an end that would not wait.
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect([client.count("response.done"), client.count("conversation.item.added")]).toEqual([0, 0]);
    commit.resolve();
    await client.has("conversation.item.added");
    expect(scene.charges).toHaveLength(1);
    const types = client.events.map(({ type }) => type);
    expect(types.indexOf("response.done")).toBeLessThan(types.indexOf("conversation.item.added"));
  });

  test("holds a fast upstream back while its client is slow, and loses nothing of it", async () => {
    const client = await scene.opened();
    const pieces: number[] = [];
    client.socket.removeAllListeners("message");
    client.socket.on("message", (data) => pieces.push((data as Buffer).length));
    client.socket.pause();
    const taken = sendMany(scene.seen.socket, Buffer.alloc(1_000_000, 7));
    // No more than the kernel and the relay take: the rest waits where it came from.
    expect(await restingAt(taken)).toBeLessThan(26);
    client.socket.resume();
    await until(() => pieces.length === 32, 15_000);
    expect(pieces.every((length) => length === 1_000_000)).toBe(true);
  });

  test("holds a fast client back while the upstream is slow, and loses nothing of it", async () => {
    const client = await scene.opened();
    const { socket, messages } = scene.seen;
    socket.pause();
    const event = JSON.stringify({ type: "input_audio_buffer.append", audio: "A".repeat(1_000_000) });
    const taken = sendMany(client.socket, Buffer.from(event));
    expect(await restingAt(taken)).toBeLessThan(26);
    socket.resume();
    await until(() => messages.length === 32, 15_000);
    expect(new Set(messages)).toEqual(new Set([event]));
  });

  test("hides the key from an upstream's error and from its reason to close", async () => {
    const client = await scene.opened();
    const error = { type: "error", error: { message: `${UPSTREAM_KEY} is worn out`, code: "x" } };
    scene.seen.socket.send(JSON.stringify(error));
    scene.seen.socket.close(4000, UPSTREAM_KEY);
    await until(() => client.closed !== undefined);
    expect(client.events.at(-1)?.error?.message).toBe("[key] is worn out");
    expect(client.closed).toEqual({ code: 4000, reason: "[key]" });
  });
});

describe("sensitive words of the operator's list", () => {
  const part = { type: "input_text", text: "say FORBIDDEN things" };

  test.each([
    ["a message", { type: "conversation.item.create", item: { type: "message", role: "user", content: [part] } }],
    [
      "what a tool gave",
      { type: "conversation.item.create", item: { type: "function_call_output", output: "forbidden" } },
    ],
    ["a transcript", { type: "conversation.item.create", item: { content: [{ transcript: "forbidden" }] } }],
    ["instructions", { type: "session.update", session: { type: "realtime", instructions: "forbidden" } }],
    ["instructions of an answer", { type: "response.create", response: { instructions: "forbidden" } }],
  ])("in %s hold the event back; the session continues", async (_name, event) => {
    withOptions(scene.relay.world, { SensitiveWords: ["forbidden"] });
    const client = await scene.opened();
    client.send({ ...event, event_id: "evt_mine" });
    await client.answer();
    const told = client.events.find(({ type }) => type === "error")?.error;
    expect(told).toMatchObject({ code: "sensitive_words_detected", event_id: "evt_mine" });
    expect(scene.seen.messages.join("")).not.toMatch(/forbidden/i);
    expect([client.count("error"), scene.charges.length]).toEqual([1, 1]);
  });

  test("are found behind blanks before an event, where readers of JSON look", async () => {
    withOptions(scene.relay.world, { SensitiveWords: ["forbidden"] });
    const client = await scene.opened();
    const item = { type: "message", role: "user", content: [{ type: "input_text", text: "forbidden" }] };
    client.socket.send(` \n\t${JSON.stringify({ type: "conversation.item.create", item })}`);
    await client.has("error");
    await client.answer();
    expect(scene.seen.messages.join("")).not.toContain("forbidden");
  });

  test("are not looked for in sound", async () => {
    withOptions(scene.relay.world, { SensitiveWords: ["aaaa"] });
    const client = await scene.opened();
    client.send({ type: "input_audio_buffer.append", audio: "aaaa" });
    await client.answer();
    expect(client.count("error")).toBe(0);
    expect(scene.seen.messages.join("")).toContain('"audio":"aaaa"');
  });
});

describe("an end", () => {
  test("of the client in the middle of an answer closes the upstream at once and charges what was said", async () => {
    scene.upstream.plan({ finishReason: null, text: "on ".repeat(10).trimEnd(), chunks: 1 });
    const client = await scene.opened();
    client.send({ type: "response.create" });
    await client.has("response.output_audio.delta");
    client.socket.terminate();
    await until(() => scene.seen.closeCode !== 0 && scene.charges.length === 1);
    // 10 words, 2 tokens of sound: (10 x 4 + 2 x 16) x 2
    expect(scene.charges).toEqual([144]);
    expect(scene.rows[0]?.receipt["rule"]).toBe("client_left");
    expect(scene.relay.billing.holds.size).toBe(0);
  });

  test.each([
    [4001, "session expired"],
    [1000, ""],
  ])("of the upstream keeps its code %i and its reason", async (code, reason) => {
    const client = await scene.opened();
    scene.seen.socket.close(code, reason);
    await until(() => client.closed !== undefined);
    expect(client.closed).toEqual({ code, reason });
    await scene.released();
    expect(scene.charges).toEqual([]);
  });

  test("of the upstream without an event is an error event, then 1011", async () => {
    const client = await scene.opened();
    scene.seen.socket.terminate();
    expect(await client.ended()).toEqual({ code: 1011, error: "upstream_broken" });
  });

  test("comes where the balance does not reach for another answer", async () => {
    await scene.restart({ billing: new MemoryBilling(STEP + SPOKEN_CHARGE - 1) });
    const client = await scene.opened();
    await client.answer();
    expect(await client.ended()).toEqual({ code: 1008, error: "insufficient_user_quota" });
    expect(client.events.at(-1)).toMatchObject({ event_id: "evt_req-test-1", error: { type: "insufficient_quota" } });
    expect(scene.charges).toEqual([SPOKEN_CHARGE]);
    expect(scene.relay.billing.holds.size).toBe(0);
  });

  test("comes in the middle of an answer that outgrows the balance", async () => {
    await scene.restart({ billing: new MemoryBilling(STEP + 100) });
    scene.upstream.plan({ text: "z".repeat(40_000), chunks: 40, finishReason: null });
    const client = await scene.opened();
    client.send({ type: "response.create" });
    expect(await client.ended()).toEqual({ code: 1008, error: "quota_reached" });
    await until(() => scene.charges.length === 1);
    // No more than one message beyond what was held.
    expect(scene.relay.billing.balance).toBeGreaterThan(-2100);
    expect(scene.relay.billing.holds.size).toBe(0);
  });

  test.each([
    ["its key is switched off", () => scene.relay.world.tokens.set(TEST_KEY, newToken({ status: 2 })), "key_disabled"],
    ["its key is deleted", () => scene.relay.world.tokens.clear(), "key_invalid"],
    ["its owner is banned", () => (scene.relay.world.users = [newUser({ status: 2 })]), "user_banned"],
    [
      "its address is taken from the key's list",
      () => scene.relay.world.tokens.set(TEST_KEY, newToken({ isAddressAllowed: () => false })),
      "address_not_allowed",
    ],
  ])("comes with the next event of a client when %s", async (_name, revoke, error) => {
    const client = await scene.opened();
    revoke();
    client.send({ type: "response.create" });
    expect(await client.ended()).toEqual({ code: 1008, error });
    await scene.released();
    expect(scene.seen.messages).toEqual([]);
  });

  test("comes with a code of its own when the server stops, and everything is booked first", async () => {
    scene.upstream.plan({ finishReason: null });
    scene.relay.billing.settleDelayMs = 50;
    const client = await scene.opened();
    client.send({ type: "response.create" });
    await client.has("response.output_audio.delta");
    await scene.relay.close();
    expect(scene.charges).toHaveLength(1);
    expect((await client.ended()).code).toBe(1001);
    await scene.start();
  });

  test("comes with 1009 where a message is larger than any may be", async () => {
    const client = await scene.opened();
    client.socket.send(Buffer.alloc(16_777_217));
    expect((await client.ended()).code).toBe(1009);
    await scene.released();
  });
});

describe("a handshake", () => {
  test.each([
    ["no key", {}, undefined, 401, "key_missing"],
    ["a wrong key", { authorization: "Bearer sk-wrong" }, undefined, 401, "key_invalid"],
    ["no model", AUTH, "", 400, "model_missing"],
    ["a model that nobody has", AUTH, "?model=other", 404, "model_not_found"],
  ])(
    "with %s is refused in the API's envelope before anything is opened",
    async (_name, given, query, status, code) => {
      const refused = await scene.refused([], given as Record<string, string>, query);
      expect(refused.status).toBe(status);
      expect(refused.headers).toMatchObject({ "content-type": "application/json", connection: "close" });
      const { error } = JSON.parse(refused.body) as { error: { code: string; message: string } };
      expect(error.code).toBe(code);
      expect(error.message).toContain(String(refused.headers["x-request-id"]));
      expect(scene.upstream.sockets).toHaveLength(0);
      expect(scene.relay.billing.holds.size).toBe(0);
    },
  );

  test("goes to the next channel while no upstream has opened", async () => {
    withOptions(scene.relay.world, { RetryTimes: 1 });
    scene.relay.world.channels.push({ ...scene.relay.world.channels[0], id: 2, priority: -1 } as never);
    scene.upstream.next({ status: 503 });
    const client = await scene.opened();
    await client.answer();
    expect(scene.rows[0]).toMatchObject({ channelId: 2, receipt: { admin_info: { use_channel: [1, 2] } } });
  });

  test("goes to the next channel where the first opens and then says that its key is wrong", async () => {
    withOptions(scene.relay.world, { RetryTimes: 1, AutomaticDisableChannelEnabled: true });
    scene.relay.world.channels.push({ ...scene.relay.world.channels[0], id: 2, priority: -1 } as never);
    scene.upstream.next({ error: { message: "Incorrect API key provided.", code: "invalid_api_key" } });
    const client = await scene.opened();
    expect(client.events[0]?.type).toBe("session.created");
    expect(scene.relay.disabled.map(({ id }) => id)).toEqual([1]);
  });

  test("to an upstream that opens and refuses is refused with its error, and holds nothing", async () => {
    scene.upstream.plan({ error: { message: "No such model.", code: "model_not_found" } });
    const refused = await scene.refused();
    expect([refused.status, refused.body.includes("No such model.")]).toEqual([404, true]);
    expect(scene.relay.billing.holds.size).toBe(0);
  });

  test("to an upstream that does not greet is accepted all the same", async () => {
    await scene.restart({ timeouts: { connectMs: 500 } });
    scene.upstream.next({ sendsDone: false });
    const client = scene.connect();
    await until(() => client.socket.readyState === client.socket.OPEN);
    await client.answer();
    expect(scene.charges).toEqual([SPOKEN_CHARGE]);
  });

  test("that every upstream refuses gets the last one's error", async () => {
    scene.upstream.plan({ status: 429 });
    expect((await scene.refused()).status).toBe(429);
    expect(scene.relay.billing.holds.size).toBe(0);
    expect(scene.relay.billing.rows.map(({ type }) => type)).toEqual([5]);
  });

  test("whose client disconnects while it waits is aborted at the upstream at once", async () => {
    scene.upstream.plan({ neverAnswers: true });
    const gone = new Promise<void>((resolve) =>
      scene.upstream.server.once("upgrade", (_request, socket) => socket.resume().once("close", () => resolve())),
    );
    const { port } = new URL(scene.relay.url);
    const client = connect(Number(port), "127.0.0.1");
    client.write(
      `GET /v1/realtime?model=${MODEL} HTTP/1.1\r\nHost: x\r\nAuthorization: ${AUTH.authorization}\r\n` +
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    );
    await until(() => scene.relay.billing.holds.size === 1);
    client.end();
    await gone;
    await scene.released();
    expect(scene.charges).toEqual([]);
  });

  test("never reaches a private address while those are not allowed", async () => {
    await scene.restart({ allowsPrivate: false });
    expect((await scene.refused()).status).toBe(502);
    expect(scene.upstream.sockets).toHaveLength(0);
  });

  test("needs a balance and counts as an open call", async () => {
    await scene.restart({ billing: new MemoryBilling(100) });
    expect((await scene.refused()).status).toBe(403);
    scene.relay.billing.balance = 1_000_000;
    withOptions(scene.relay.world, { TokenConcurrencyLimit: 1 });
    const client = await scene.opened();
    expect((await scene.refused()).status).toBe(429);
    client.socket.close();
    await scene.released();
    expect((await scene.opened()).count("session.created")).toBe(1);
  });

  test("counts among the calls of its user", async () => {
    withOptions(scene.relay.world, { ModelRequestRateLimitEnabled: true, ModelRequestRateLimitSuccessCount: 1 });
    await scene.opened();
    const refused = await scene.refused();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  });

  test("of a limited token is held against the token, and follows its list of models", async () => {
    scene.relay.world.tokens.set(TEST_KEY, newToken({ isUnlimited: false }));
    await (await scene.opened()).answer();
    expect(scene.relay.billing.settlements[0]?.isTokenLimited).toBe(true);
    scene.relay.world.tokens.set(TEST_KEY, newToken({ modelLimits: new Set(["gpt-4o"]) }));
    expect((await scene.refused()).status).toBe(403);
  });

  test("with a malformed list of subprotocols is refused before an upstream hears of it", async () => {
    const answer = await fetch(`${scene.relay.url}/v1/realtime?model=${MODEL}`, { headers: AUTH });
    expect(answer.status).toBe(426);
    const { port } = new URL(scene.relay.url);
    const client = connect(Number(port), "127.0.0.1");
    let text = "";
    client.on("data", (part: Buffer) => (text += part.toString()));
    client.write(
      `GET /v1/realtime?model=${MODEL} HTTP/1.1\r\nHost: x\r\nAuthorization: ${AUTH.authorization}\r\n` +
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: realtime, realtime\r\n" +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    );
    await new Promise((resolve) => client.once("close", resolve));
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain("subprotocols_invalid");
    expect(scene.upstream.sockets).toHaveLength(0);
  });

  test("that is none, or has too long an address, is answered as a request", async () => {
    const answer = await fetch(`${scene.relay.url}/v1/realtime?model=${MODEL}`, { headers: AUTH });
    expect(answer.status).toBe(426);
    expect((await scene.refused([], AUTH, `?model=${"m".repeat(9000)}`)).status).toBe(414);
    const other = await fetch(`${scene.relay.url}/v1/models`, {
      headers: { ...AUTH, connection: "upgrade", upgrade: "h2c" },
    }).catch(() => undefined);
    expect(other === undefined || other.status === 200).toBe(true);
  });
});
