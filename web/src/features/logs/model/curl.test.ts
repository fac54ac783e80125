/** Tests of the curl command of a logged call: it runs as it is, holds no key, and names what the log lacks. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlOf } from "./curl.ts";
import type { LogRow } from "./log-row.ts";
import type { Receipt } from "./receipt.ts";

const rowOf = (more: Partial<LogRow> = {}) => ({ model_name: "gpt-5", is_stream: false, ...more }) as LogRow;
const call = (endpoint: string | undefined, more: Partial<LogRow> = {}) =>
  curlOf(rowOf(more), { endpoint } as Receipt, "https://api.example.com");

/** What a shell makes of the command. */
const argumentsOf = (command: string): string[] => {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const env = { TURNPIKE_KEY: "sk-of-the-caller" };
  return execFileSync("/bin/sh", ["-c", script], { env, encoding: "utf8" }).split("\0").slice(0, -1);
};

test.each([
  ["/v1/chat/completions", "messages"],
  ["/v1/messages", "max_tokens"],
  ["/v1/responses", "input"],
  ["/v1/completions", "prompt"],
  ["/v1/embeddings", "input"],
  ["/v1/images/generations", "prompt"],
])("%s", (endpoint, field) => {
  const { command, isGuessed, isPossible } = call(endpoint);
  const [url, , key, , , , body = ""] = argumentsOf(command);
  expect(url).toBe(`https://api.example.com${endpoint}`);
  expect(key).toBe("Authorization: Bearer sk-of-the-caller");
  expect(JSON.parse(body)).toMatchObject({ model: "gpt-5", [field]: expect.anything() as unknown });
  expect([isGuessed, isPossible]).toEqual([false, true]);
  expect(command).not.toContain("sk-");
});

test("a stream is asked for, a name cannot leave its quotes, and the playground's call is one that a token may make", () => {
  const { command } = call("/pg/chat/completions", { is_stream: true, model_name: "it's; $(rm) `x`" });
  const [url, , , , , , body = ""] = argumentsOf(command);
  expect(url).toBe("https://api.example.com/v1/chat/completions");
  expect(JSON.parse(body)).toMatchObject({ model: "it's; $(rm) `x`", stream: true });
});

test("a path that names the model has it there alone", () => {
  const { command } = call("/v1beta/models/gemini-2.5-pro:streamGenerateContent", { is_stream: true });
  expect(JSON.parse(argumentsOf(command)[6] ?? "")).toEqual({ contents: [{ parts: [{ text: "Hello" }] }] });
});

test("parts that are not logged are named", () => {
  expect(call(undefined)).toMatchObject({ isGuessed: true, isPossible: true });
  expect(call("/v1/audio/transcriptions")).toMatchObject({ isPossible: false });
  expect(call("/v1/realtime")).toMatchObject({ isPossible: false });
});
