/** Charges of realtime sessions: answers in text and audio, transcripts, uncounted and broken answers, and their receipts. */
import { describe, expect, test } from "vitest";
import { SPOKEN_USAGE } from "../fake-upstream/openai/realtime-session.ts";
import { TEST_KEY, newToken, until, withOptions } from "../support/relay/harness.ts";
import { MemoryBilling } from "../support/relay/memory-billing.ts";
import { AUTH, MODEL, RealtimeScene, SPOKEN_CHARGE, STEP, WRITTEN_CHARGE } from "../support/relay/realtime.ts";

const scene = new RealtimeScene();
const TEXT_ONLY = { output_modalities: ["text"] };

describe("an answer", () => {
  test("is a charge and a row of its own with a whole receipt", async () => {
    const client = await scene.opened();
    await client.answer();
    await client.answer(TEXT_ONLY);
    expect(scene.charges).toEqual([SPOKEN_CHARGE, WRITTEN_CHARGE]);
    const [spoken, written] = scene.rows;
    expect(spoken).toMatchObject({
      requestId: "req-test-1-1",
      modelName: MODEL,
      tokenName: "main",
      username: "alice",
      channelId: 1,
      groupName: "default",
      isStream: true,
      quota: SPOKEN_CHARGE,
      promptTokens: 40,
      completionTokens: 20,
    });
    expect(spoken?.receipt).toMatchObject({
      ws: true,
      audio: true,
      audio_input: 19,
      audio_output: 15,
      text_input: 21,
      text_output: 5,
      audio_ratio: 8,
      audio_completion_ratio: 2,
      model_ratio: 2,
      completion_ratio: 4,
      cache_tokens: 10,
      cache_ratio: 0.1,
      group_ratio: 1,
      raw_usage: SPOKEN_USAGE,
      admin_info: { use_channel: [1] },
    });
    expect(spoken?.receipt["frt"]).toBeGreaterThan(0);
    expect(written).toMatchObject({ requestId: "req-test-1-2", quota: WRITTEN_CHARGE, promptTokens: 15 });
    expect(written?.receipt["audio"]).toBeUndefined();
  });

  test("that outgrows its hold while the books are away ends the session for that, and is no fault of its channel", async () => {
    scene.upstream.plan({ text: "z".repeat(40_000), chunks: 40, finishReason: null });
    const client = await scene.opened();
    Object.assign(scene.relay.billing, { extend: () => false, isHealthy: false });
    client.send({ type: "response.create" });
    expect(await client.ended()).toEqual({ code: 1011, error: "books_unavailable" });
    expect(scene.relay.health.hasRecords).toBe(false);
  });

  test("is dated and priced by when it began, not by when the session did", async () => {
    const client = await scene.opened();
    await client.answer(TEXT_ONLY);
    const price = scene.relay.world.prices.get(MODEL);
    scene.relay.world.prices.set(MODEL, { ...price, ratio: "4" } as never);
    scene.relay.world.groupRatios.set("default", "0.5");
    await client.answer(TEXT_ONLY);
    scene.relay.world.groupRatios.set("default", "3");
    await client.answer(TEXT_ONLY);
    expect(scene.charges).toEqual([WRITTEN_CHARGE, WRITTEN_CHARGE, WRITTEN_CHARGE * 6]);
    expect(scene.rows.map(({ receipt }) => receipt["group_ratio"])).toEqual([1, 0.5, 3]);
  });

  test("for which there is no price any more ends the session before it is made", async () => {
    const client = await scene.opened();
    scene.relay.world.prices.delete(MODEL);
    client.send({ type: "response.create" });
    expect(await client.ended()).toEqual({ code: 1008, error: "model_price_error" });
    await scene.released();
    expect(scene.charges).toEqual([]);
  });

  test("that the upstream does not count is estimated, flagged, and so is the conversation that it reads again", async () => {
    scene.upstream.plan({ usage: null, text: "on ".repeat(100).trimEnd(), chunks: 1 });
    const client = await scene.opened();
    client.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(96_000).toString("base64") });
    await client.answer();
    // 2 s heard are 20 tokens, 0.1 s said are 2, 100 short words: (20 x 8 + 2 x 16 + 100 x 4) x 2
    expect(scene.charges).toEqual([1184]);
    expect(scene.rows[0]?.receipt["estimated"]).toBe(true);
    await client.answer();
    // The earlier 122 tokens at a tenth, nothing heard: (12.2 + 2 x 16 + 100 x 4) x 2, rounded
    expect(scene.charges[1]).toBe(888);
  });

  test("whose upstream counts none of it is estimated by its text", async () => {
    const usage = { ...SPOKEN_USAGE, output_tokens: 0, output_token_details: {} };
    scene.upstream.plan({ usage, text: "on ".repeat(100).trimEnd(), chunks: 1 });
    await (await scene.opened()).answer(TEXT_ONLY);
    expect(scene.charges).toEqual([Math.round((10 * 0.1 + 19 * 8 + 11 + 100 * 4) * 2)]);
    expect(scene.rows[0]?.receipt).toMatchObject({ estimated: true, usage_faults: ["output_tokens"] });
  });

  test("that failed before it said anything costs nothing, and the hold stays for the next", async () => {
    scene.upstream.next({}, { usage: null, text: "", chunks: 1, finishReason: "failed" });
    const client = await scene.opened();
    await client.answer(TEXT_ONLY);
    expect(scene.charges).toEqual([]);
    expect(scene.relay.billing.held).toBe(STEP);
    await client.answer(TEXT_ONLY);
    expect(scene.charges).toEqual([WRITTEN_CHARGE]);
  });

  const picture = {
    type: "message",
    role: "user",
    content: [{ type: "input_image", image_url: "data:image/png;base64,aGVsbG8=" }],
  };

  test.each([
    ["a stored prompt", { type: "session.update", session: { prompt: { id: "pmpt_1" } } }, 40_000],
    ["a tool of the upstream's", { type: "session.update", session: { tools: [{ type: "mcp" }] } }, 40_000],
    ["an item by its id", { type: "conversation.item.create", item: { type: "item_reference", id: "i" } }, 40_000],
    ["a picture", { type: "conversation.item.create", item: picture }, 10_000],
    ["a function", { type: "session.update", session: { tools: [{ type: "function", name: "a" }] } }, 0],
  ])("that reads %s is held for at most as the model's window before it speaks", async (_name, event, quota) => {
    withOptions(scene.relay.world, { UnknownContextWindow: 20_000 });
    scene.relay.billing.balance = 1_000_000;
    scene.upstream.plan({ text: "so", chunks: 1, finishReason: null });
    const client = await scene.opened();
    client.send(event);
    client.send({ type: "response.create", response: TEXT_ONLY });
    await client.has("response.created");
    const held = scene.relay.billing.held;
    expect([held >= quota, held < quota + 3 * STEP]).toEqual([true, true]);
  });

  test.each([false, true])(
    "that the balance does not reach for is not asked for, with books that answer at once: %s",
    async (isLate) => {
      withOptions(scene.relay.world, { UnknownContextWindow: 20_000 });
      scene.relay.billing.balance = 2 * STEP;
      const client = await scene.opened();
      if (isLate) Object.assign(scene.relay.billing, { extend: () => Promise.resolve(false) });
      client.send({ type: "response.create", response: { ...TEXT_ONLY, prompt: { id: "pmpt_1" } } });
      client.send({ type: "response.create" });
      expect(await client.ended()).toEqual({ code: 1008, error: "quota_reached" });
      expect(scene.seen.messages).toEqual([]);
    },
  );

  test("with books that answer late is asked for once they have, and what came behind it in its order", async () => {
    const client = await scene.opened();
    Object.assign(scene.relay.billing, { extend: () => new Promise((resolve) => setTimeout(resolve, 50, true)) });
    client.send({ type: "session.update", session: { prompt: { id: "pmpt_1" } } });
    client.send({ type: "response.create", response: TEXT_ONLY });
    await client.has("response.done");
    expect(scene.seen.messages.map((text) => JSON.parse(text).type)).toEqual(["session.update", "response.create"]);
  });

  test("in frames that are binary is counted like any", async () => {
    const client = await scene.opened();
    const event = { type: "response.done", response: { usage: SPOKEN_USAGE } };
    scene.seen.socket.send(Buffer.from(JSON.stringify(event)), { binary: true });
    await client.has("response.done");
    expect(scene.charges).toEqual([SPOKEN_CHARGE]);
  });

  test("has quota held before it: a step, and what it reads again of the conversation", async () => {
    const client = await scene.opened();
    expect(scene.relay.billing.held).toBe(STEP);
    await client.answer();
    await until(() => scene.relay.billing.holds.size === 1);
    // 60 tokens of the conversation at a tenth, x 2
    expect(scene.relay.billing.held).toBe(STEP + 12);
    client.socket.close();
    await scene.released();
    expect(scene.relay.billing.voids).toBe(1);
    expect(scene.relay.billing.balance).toBe(1_000_000_000 - SPOKEN_CHARGE);
  });

  test("that is cut by the upstream follows the operator's rule", async () => {
    withOptions(scene.relay.world, { BrokenStreamBilling: "nothing" });
    scene.upstream.plan({ finishReason: null });
    const client = await scene.opened();
    client.send({ type: "response.create" });
    await client.has("response.output_audio.delta");
    scene.seen.socket.close(1000);
    await until(() => scene.charges.length === 1);
    expect(scene.charges).toEqual([0]);
    expect(scene.rows[0]?.receipt["rule"]).toBe("upstream_broke_nothing");
  });

  test("that cannot be booked ends the session and is not booked twice", async () => {
    class Broken extends MemoryBilling {
      attempts = 0;
      override settle(): Promise<"committed"> {
        this.attempts += 1;
        return Promise.reject(new Error("no"));
      }
    }
    const billing = new Broken();
    await scene.restart({ billing, isQuiet: true });
    const client = await scene.opened();
    client.send({ type: "response.create" });
    expect(await client.ended()).toEqual({ code: 1011, error: "internal_error" });
    expect(client.count("response.done")).toBe(0);
    expect(billing.attempts).toBe(1);
  });
});

describe("a transcript", () => {
  const transcribing = (model: string) => ({
    type: "session.update",
    session: { type: "realtime", audio: { input: { transcription: { model } } } },
  });
  const name = "conversation.item.input_audio_transcription.completed";

  test("inside a conversation is paid by the price of its own model, tokens or seconds", async () => {
    const client = await scene.opened();
    client.send(transcribing("whisper-1"));
    client.send({ type: "input_audio_buffer.commit" });
    await client.has(name);
    client.send(transcribing("gpt-4o-transcribe"));
    client.send({ type: "input_audio_buffer.commit" });
    await client.has(name, 2);
    await client.answer();
    // 6 s at 1,000 tokens a minute x 15; (3 words + 14 heard x 2 + 9 written x 4) x 3
    expect(scene.charges).toEqual([1500, (3 + 14 * 2 + 9 * 4) * 3, SPOKEN_CHARGE]);
    expect(scene.rows.map(({ modelName }) => modelName)).toEqual(["whisper-1", "gpt-4o-transcribe", MODEL]);
    expect(scene.rows.map(({ receipt }) => receipt["model_ratio"])).toEqual([15, 3, 2]);
    expect(new Set(scene.rows.map(({ requestId }) => requestId)).size).toBe(3);
  });

  test("is estimated from audio and text if the upstream does not count it", async () => {
    scene.upstream.plan({ usage: null, text: "on ".repeat(10).trimEnd() });
    const client = await scene.opened();
    client.send(transcribing("gpt-4o-transcribe"));
    client.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(96_000).toString("base64") });
    client.send({ type: "input_audio_buffer.commit" });
    await client.has(name);
    // 20 heard x 2 + 10 written x 4, x 3
    expect(scene.charges).toEqual([240]);
    expect(scene.rows[0]?.receipt["estimated"]).toBe(true);
  });

  test.each([
    ["beside the beta", { "openai-beta": "realtime=v1" }, { type: "transcription_session.update" }],
    ["of the later API", {}, { type: "session.update" }],
  ])("alone is a session without a model of its own, %s", async (_name, headers, update) => {
    scene.relay.world.channels[0] = {
      ...scene.relay.world.channels[0],
      models: new Set(["gpt-4o-transcribe"]),
    } as never;
    const client = await scene.opened([], { ...AUTH, ...headers }, "?intent=transcription");
    expect(scene.seen.path).toBe("/v1/realtime?intent=transcription");
    const transcription = { model: "whisper-1" };
    const session = {
      type: "transcription",
      audio: { input: { transcription } },
      input_audio_transcription: transcription,
    };
    client.send({ ...update, session });
    client.send({ type: "input_audio_buffer.commit" });
    await client.has(name);
    expect(scene.charges).toEqual([1500]);
  });

  test("by a model in the query goes upstream without it", async () => {
    await scene.opened([], AUTH, `?intent=transcription&model=${MODEL}`);
    expect(scene.seen.path).toBe("/v1/realtime?intent=transcription");
  });

  test("by a model that has no price, or that the key may not use, ends the session before it is made", async () => {
    const client = await scene.opened();
    client.send(transcribing("unknown-transcribe"));
    expect(await client.ended()).toEqual({ code: 1008, error: "model_price_error" });
    scene.relay.world.tokens.set(TEST_KEY, newToken({ modelLimits: new Set([MODEL]) }));
    const limited = await scene.opened();
    limited.send(transcribing("whisper-1"));
    expect(await limited.ended()).toEqual({ code: 1008, error: "model_not_allowed" });
    await scene.released();
    expect(scene.charges).toEqual([]);
  });

  test("in the middle of an answer still charges the answer", async () => {
    scene.upstream.next({}, { finishReason: null, text: "on ".repeat(10).trimEnd(), chunks: 1 });
    const client = await scene.opened();
    client.send(transcribing("whisper-1"));
    client.send({ type: "response.create", response: TEXT_ONLY });
    client.send({ type: "input_audio_buffer.commit" });
    await client.has(name);
    client.socket.close();
    await until(() => scene.charges.length === 2);
    await scene.released();
    // 10 words x 4, x 2
    expect(scene.charges).toEqual([1500, 80]);
  });
});

test.each(["constructor", "__proto__", "toString"])(
  "an event of the type %s costs nothing and passes like any",
  async (type) => {
    const client = await scene.opened();
    client.socket.send(`{"type":"${type}"}`);
    await client.answer();
    expect(scene.seen.messages.join("")).toContain(type);
    expect(scene.charges).toEqual([SPOKEN_CHARGE]);
  },
);
