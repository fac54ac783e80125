/** MiniMax by its documentation: a root for each format, temperatures, thinking, speech, and failures by their codes. */
import { describe, expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { minimax } from "./minimax.ts";

const { changed, failed, headers, isFailure, manifest, models, ownOperations, sent, url } = documentedProvider(minimax);

test.each([
  "https://api.minimax.io",
  "https://api.minimax.io/v1/",
  "https://api.minimax.io/anthropic",
  "https://api.minimax.io/anthropic/v1",
])("behind %s each format has its root", (baseUrl) => {
  const at = (path: string, more: object) => url(path, { baseUrl, ...more }).replace("https://api.minimax.io", "");
  expect(at("/v1/messages", { dialect: "anthropic-messages" })).toBe("/anthropic/v1/messages");
  expect(at("/v1/chat/completions", { dialect: "openai-chat" })).toBe("/v1/chat/completions");
  expect(at("/v1/responses", { dialect: "openai-responses" })).toBe("/v1/responses");
  expect(at("/v1/models", { operation: "models" })).toBe("/v1/models");
  expect(at("/v1/t2a_v2", { operation: "speech", dialect: "openai-chat" })).toBe("/v1/t2a_v2");
});

test("the key is a bearer token in each of them, and Messages have their version", () => {
  expect(headers({ dialect: "openai-chat" })).toBe("authorization Bearer key-of-the-test");
  expect(headers({ dialect: "anthropic-messages" })).toBe(
    "authorization Bearer key-of-the-test anthropic-version 2023-06-01",
  );
});

test("temperatures are those the vendor takes, in every format", () => {
  for (const dialect of ["openai-chat", "anthropic-messages"] as const) {
    expect(sent({ model: "m", temperature: 0 }, { dialect })["temperature"]).toBe(0.01);
    expect(sent({ model: "m", temperature: 1.5 }, { dialect })["temperature"]).toBe(1);
    expect(changed({ model: "m", temperature: 0.3 }, { dialect })).toEqual([]);
  }
});

test("newer models are switched, older ones think as they do; instructions have the role it knows", () => {
  const asked = { dialect: "openai-chat" } as const;
  const switched = (model: string, reasoning_effort: string) => sent({ model, reasoning_effort }, asked);
  expect(switched("MiniMax-M3", "none")).toEqual({ model: "MiniMax-M3", thinking: { type: "disabled" } });
  expect(switched("MiniMax-M3", "high")).toEqual({ model: "MiniMax-M3", thinking: { type: "adaptive" } });
  expect(switched("MiniMax-M2.7", "none")).toEqual({ model: "MiniMax-M2.7" });
  const messages = [{ role: "developer", content: "x" }];
  expect(sent({ model: "m", messages, reasoning_split: true }, asked)).toEqual({
    model: "m",
    messages: [{ role: "system", content: "x" }],
    reasoning_split: true,
  });
});

describe("speech", () => {
  const own = ownOperations?.speech;
  const said = (more: object, warned: string[] = []) =>
    own?.encodeRequest(
      { fields: { model: "speech-2.8-hd", input: "hi", voice: "English_Graceful_Lady", ...more }, files: {} },
      (field) => void warned.push(field),
    );

  test("is requested in the vendor's fields", () => {
    expect(said({})).toEqual({
      model: "speech-2.8-hd",
      text: "hi",
      stream: false,
      output_format: "hex",
      voice_setting: { voice_id: "English_Graceful_Lady" },
      audio_setting: { format: "mp3" },
    });
    const warned: string[] = [];
    expect(said({ response_format: "pcm", speed: 4, instructions: "softly" }, warned)).toMatchObject({
      voice_setting: { speed: 2 },
      audio_setting: { format: "pcm", sample_rate: 24_000 },
    });
    expect(warned.toSorted()).toEqual(["instructions", "speed"]);
    expect(() => said({ response_format: "aac" })).toThrow("mp3, wav, flac, pcm");
    expect(() => said({ stream_format: "sse" })).toThrow("one piece");
  });

  test("comes back as sound", () => {
    const request = { fields: { response_format: "wav" }, files: {} };
    const answer = own?.decodeAnswer({ data: { audio: "68656c6c6f", status: 2 } }, request);
    expect(answer).toEqual({ bytes: Buffer.from("hello"), mimeType: "audio/wav" });
    expect(own?.decodeAnswer({ data: null }, request)).toBeUndefined();
  });
});

test.each([
  ["200-key.json", "auth", 401, true],
  ["200-balance.json", "quota", 402, true],
  ["200-rate.json", "rate", 429, true],
  ["200-busy.json", "overloaded", 503, true],
  ["200-slow.json", "timeout", 504, true],
  ["200-input.json", "content", 400, false],
  ["200-parameter.json", "invalid", 400, false],
  ["429-balance.json", "quota", 429, true],
  ["401-key.json", "auth", 401, true],
] as const)("%s is a failure of kind %s", (name, kind, status, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, status, isRetryable });
});

test("failures are distinguished from answers, which have the same field", () => {
  expect(isFailure?.('{"id":"","base_resp":{"status_code":1002,"status_msg":"rate limit"}}')).toBe(true);
  expect(isFailure?.('{"choices":[],"base_resp":{"status_code":0,"status_msg":""}}')).toBe(false);
  expect(isFailure?.(JSON.stringify({ content: '"base_resp":{"status_code":1}' }))).toBe(false);
});

test("its manifest is type 35 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 35, slug: "minimax" });
  expect(models.length).toBeGreaterThan(0);
  expect(new Set(models).size).toBe(models.length);
});
