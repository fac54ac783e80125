/** OpenAI's own library with audio: speech as it arrives, recordings in every form, against an upstream that checks every field. */
import { toFile } from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../support/relay/harness.ts";
import { silence } from "../../server/src/relay/probe-questions.ts";
import { type OperationScene, openOperations } from "./operation-scene.ts";

let scene: OperationScene;

beforeEach(async () => {
  scene = await openOperations(1);
});
afterEach(() => scene.close());

describe("speech", () => {
  const request = { model: "tts-1", voice: "alloy", input: "Grüße, 世界" } as const;

  test("comes byte for byte", async () => {
    const answer = await scene.openai.audio.speech.create({ ...request, response_format: "mp3", speed: 1.5 });
    expect(answer.headers.get("content-type")).toBe("audio/mpeg");
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from("fake speech ".repeat(4096)));
    expect(scene.seen().json).toEqual({ ...request, response_format: "mp3", speed: 1.5 });
    // 9 characters x 7.5
    expect(scene.charges).toEqual([68]);
  });

  test("can be heard before its end", async () => {
    const size = 300_000;
    scene.upstream.plan({ rawBody: Buffer.alloc(size, 7), contentType: "audio/mpeg", splitAtByte: 100_000 });
    const commit = Promise.withResolvers<void>();
    scene.relay.billing.beforeCommit = commit.promise;
    const answer = await scene.openai.audio.speech.create(request);
    let received = 0;
    for await (const chunk of answer.body ?? []) {
      if (received === 0) expect(scene.relay.billing.settlements).toHaveLength(0);
      commit.resolve();
      received += (chunk as Uint8Array).length;
    }
    expect(received).toBe(size);
    expect(scene.relay.billing.settlements).toHaveLength(1);
  });

  test("stops when the listener disconnects", async () => {
    scene.upstream.plan({
      rawBody: Buffer.alloc(3_000_000, 7),
      contentType: "audio/mpeg",
      splitAtByte: 100_000,
      cutAtByte: 2_000_000,
      cutBy: "halt",
    });
    const controller = new AbortController();
    const answer = await scene.openai.audio.speech.create(request, { signal: controller.signal });
    await answer.body?.getReader().read();
    controller.abort();
    await until(() => scene.upstream.requests[0]?.wasAborted === true && scene.charges.length === 1);
    expect(scene.charges).toEqual([68]);
  });

  test("with a voice of one's own, in events with usage", async () => {
    const answer = await scene.openai.audio.speech.create({
      model: "gpt-4o-mini-tts",
      voice: { id: "voice_1234" },
      input: "Hello",
      instructions: "Whisper.",
      stream_format: "sse",
    });
    const text = await answer.text();
    expect(text.match(/speech\.audio\.delta/g)).toHaveLength(4);
    expect(text).toContain("speech.audio.done");
    // (9 + 120 x 1 x 20) x 0.3
    expect(scene.charges).toEqual([723]);
  });

  test("a voice the vendor does not have is refused", async () => {
    const wrong = scene.openai.audio.speech.create({ ...request, voice: "nobody" });
    await expect(wrong).rejects.toMatchObject({ status: 400, message: expect.stringContaining("voice") });
    expect(scene.charges).toEqual([]);
  });
});

const TEXT = "The quick brown fox jumps over the lazy dog.";

describe("recordings", () => {
  const wav = (): ReturnType<typeof toFile> => toFile(silence(3), "aufnahme ü.wav", { type: "audio/wav" });

  test("as JSON, with everything that can be set", async () => {
    const answer = await scene.openai.audio.transcriptions.create({
      file: await wav(),
      model: "gpt-4o-transcribe",
      chunking_strategy: { type: "server_vad", silence_duration_ms: 300 },
      include: ["logprobs"],
      language: "en",
      prompt: "Tiere",
      temperature: 0.2,
    });
    expect(answer.text).toBe(TEXT);
    expect(answer.usage).toMatchObject({ type: "tokens", input_tokens: 30 });
    const form = scene.form();
    expect(form.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "file",
        "chunking_strategy[type]",
        "chunking_strategy[silence_duration_ms]",
        "include[]",
      ]),
    );
    expect(form.find(({ name }) => name === "file")?.bytes).toEqual(Buffer.from(silence(3)));
    // (5 words + 25 of sound x 2.4 + 11 x 4) x 1.25
    expect(scene.charges).toEqual([136]);
  });

  test("with timestamps of words, by the duration the vendor found", async () => {
    const answer = await scene.openai.audio.transcriptions.create({
      file: await wav(),
      model: "whisper-1",
      response_format: "verbose_json",
      timestamp_granularities: ["word"],
    });
    expect([answer.duration, answer.words?.length]).toEqual([2, 9]);
    // 2 s are 33 tokens of 1000 a minute, x 15
    expect(scene.charges).toEqual([495]);
  });

  test.each([
    ["text", /^The quick brown fox/],
    ["srt", /00:00:00,000 --> /],
    ["vtt", /^WEBVTT/],
  ] as const)("as %s the library gives the text itself, by the length of the file", async (format, pattern) => {
    const answer = await scene.openai.audio.transcriptions.create({
      file: await wav(),
      model: "whisper-1",
      response_format: format,
    });
    expect(answer).toMatch(pattern);
    // 3 s are 50 tokens, x 15
    expect(scene.charges).toEqual([750]);
  });

  test("as a stream", async () => {
    const stream = await scene.openai.audio.transcriptions.create({
      file: await wav(),
      model: "gpt-4o-transcribe",
      stream: true,
    });
    const events = await Array.fromAsync(stream);
    const deltas = events.filter((event) => event.type === "transcript.text.delta");
    expect(deltas.map(({ delta }) => delta).join("")).toBe(TEXT);
    expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", text: TEXT, usage: { input_tokens: 30 } });
    expect(scene.charges).toEqual([136]);
  });

  test("translated", async () => {
    const answer = await scene.openai.audio.translations.create({ file: await wav(), model: "whisper-1", prompt: "x" });
    expect(answer.text).toBe(TEXT);
    const verbose = await scene.openai.audio.translations.create({
      file: await wav(),
      model: "whisper-1",
      response_format: "verbose_json",
    });
    expect("segments" in verbose && verbose.segments).toHaveLength(1);
    expect(scene.charges).toEqual([495, 495]);
  });

  test("a file that is no recording is refused with the vendor's message", async () => {
    const file = await toFile(Buffer.from("not sound"), "notes.txt", { type: "text/plain" });
    const wrong = scene.openai.audio.transcriptions.create({ file, model: "whisper-1" });
    await expect(wrong).rejects.toMatchObject({ status: 400, message: expect.stringContaining("Invalid file format") });
    expect(scene.charges).toEqual([]);
  });
});
