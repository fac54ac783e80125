/** Ollama by its documentation: addresses, ignored fields, thinking under its name, and failures as plain texts. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { type NeutralRequest, TranslationFault } from "../dialects/neutral/neutral.ts";
import { UNSIGNED } from "../dialects/openai-chat/signature.ts";
import { ollama } from "./ollama.ts";

const { failed, format, headers, manifest, modelNames, models, url } = documentedProvider(ollama);

test.each(["http://gpu:11434", "http://gpu:11434/", "http://gpu:11434/v1", "http://gpu:11434/api/"])(
  "behind %s each call has its place",
  (baseUrl) => {
    expect(url("/v1/chat/completions", { baseUrl })).toBe("http://gpu:11434/v1/chat/completions");
    expect(url("/v1/completions", { baseUrl, operation: "completions" })).toBe("http://gpu:11434/v1/completions");
    expect(url("/api/embed", { baseUrl, operation: "embeddings" })).toBe("http://gpu:11434/api/embed");
    expect(url("/v1/models", { baseUrl, operation: "models" })).toBe("http://gpu:11434/api/tags");
    expect(headers({ baseUrl })).toBe("authorization Bearer key-of-the-test");
  },
);

test("the list of models is read", () => {
  expect(modelNames({ models: [{ name: "gemma4:31b", size: 1 }, {}] })).toEqual(["gemma4:31b"]);
});

const own = format({ baseUrl: "", key: "", other: "", openaiOrganization: "" }, "m");

function encoded(changes: Partial<NeutralRequest>) {
  const warnings: string[] = [];
  const messages = [{ role: "user", parts: [{ kind: "text", text: "hi" }] }] as const;
  const request = { model: "gpt-oss:20b", isStream: false, system: [], messages, tools: [], unknownFields: [] };
  const fields = own.encodeRequest({ ...request, ...changes }, (field) => void warnings.push(field));
  return { fields, warnings };
}

const tool = (name: string) => ({ kind: "function", name, parameters: { type: "object" } }) as const;
const names = (fields: Readonly<Record<string, unknown>>) =>
  ((fields["tools"] ?? []) as { function: { name: string } }[]).map((each) => each.function.name);

test("fields it ignores are warned of, and pictures are always bytes", () => {
  const { fields, warnings } = encoded({ user: "u", logitBias: {}, verbosity: "low", temperature: 2 });
  expect(fields).toMatchObject({ temperature: 2 });
  expect(["user", "logit_bias", "verbosity"].filter((name) => name in fields || !warnings.includes(name))).toEqual([]);
  expect(own.fetchedMedia).toEqual(["image", "file"]);
  expect(encoded({ isStream: true }).fields["stream_options"]).toEqual({ include_usage: true });
});

test("a choice among tools is made by what is offered", () => {
  const tools = [tool("f"), tool("g")];
  expect(names(encoded({ tools, toolChoice: { kind: "none" } }).fields)).toEqual([]);
  const forced = encoded({ tools, toolChoice: { kind: "tool", name: "g" } });
  expect([names(forced.fields), forced.warnings, forced.fields["tool_choice"]]).toEqual([
    ["g"],
    ["tool_choice"],
    undefined,
  ]);
});

test.each([
  ["none", "none"],
  ["minimal", "low"],
  ["xhigh", "high"],
] as const)("the effort %s is %s", (effort, word) => {
  expect(encoded({ reasoning: { effort } }).fields["reasoning_effort"]).toBe(word);
});

test("thinking goes back under its name", () => {
  const parts = [
    { kind: "reasoning", text: "hm", signature: UNSIGNED },
    { kind: "text", text: "a" },
  ] as const;
  const messages = [{ role: "assistant", parts }] as const;
  expect(encoded({ messages }).fields["messages"]).toEqual([{ role: "assistant", content: "a", reasoning: "hm" }]);
});

test("several answers, recordings and documents are refused by name", () => {
  const audio = { kind: "audio", source: { kind: "base64", mimeType: "audio/wav", data: "" } } as const;
  const file = { kind: "file", source: { kind: "base64", mimeType: "application/pdf", data: "" } } as const;
  expect(() => encoded({ choices: 2 })).toThrow(TranslationFault);
  for (const part of [audio, file])
    expect(() => encoded({ messages: [{ role: "user", parts: [part] }] })).toThrow("texts and pictures only");
});

test.each([
  ["400-image.json", "invalid", "invalid image input"],
  ["401-key.json", "auth", "unauthorized"],
  ["404-model.json", "invalid", 'model "llama3.2" not found, try pulling it first'],
  ["429-usage.json", "rate", "you have reached your hourly usage limit, please wait or upgrade to continue"],
  ["503-busy.json", "overloaded", "server busy, please try again.  maximum pending requests exceeded"],
] as const)("%s is a failure of kind %s with its own message", (name, kind, message) => {
  expect(failed(name)).toMatchObject({ kind, message });
});

test("its manifest is type 4 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 4, slug: "ollama" });
  expect(new Set(models).size).toBe(models.length);
});
