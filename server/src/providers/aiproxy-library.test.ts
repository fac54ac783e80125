/** AI Proxy's knowledge bases by their documentation: the question, the documents as citations, and failures inside success. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { TranslationFault } from "../dialects/neutral/neutral.ts";
import { aiproxyLibrary } from "./aiproxy-library.ts";

const { balance, failed, format, isFailure, url } = documentedProvider(aiproxyLibrary);
const library = format({ baseUrl: "", key: "k", other: "4711", openaiOrganization: "" }, "m");
const request = { model: "gpt-4o", isStream: true, system: [], tools: [], unknownFields: [] };
const documents = [{ title: "Manual", url: "https://docs.example/manual" }, { title: "without an address" }];
const citation = { url: "https://docs.example/manual", title: "Manual", quote: "" };

test("a question names the library, and takes texts alone", () => {
  expect(url("")).toBe("https://api.aiproxy.io/api/library/ask");
  const ask = (parts: readonly object[]) =>
    library.encodeRequest({ ...request, messages: [{ role: "user", parts: parts as never }] }, () => undefined);
  expect(ask([{ kind: "text", text: "hi" }])).toEqual({
    model: "gpt-4o",
    query: "hi",
    libraryId: "4711",
    stream: true,
  });
  const picture = { kind: "image", source: { kind: "url", url: "https://a.example/cat.png" } };
  expect(() => ask([picture])).toThrow(TranslationFault);
});

test("the documents of an answer are its citations, whole and streamed", () => {
  const whole = library.decodeAnswer({ success: true, answer: "42", documents, errCode: 0 });
  expect(whole?.choices[0]?.parts).toEqual([{ kind: "text", text: "42", citations: [citation] }]);
  const decoder = library.createDecoder();
  const events = [
    { content: "42", finish: false, documents },
    { content: "", finish: true },
  ].flatMap((event) => [...decoder.push("", JSON.stringify(event))]);
  expect(events).toEqual([
    { kind: "start", id: "" },
    { kind: "text", choice: 0, text: "42" },
    { kind: "citation", choice: 0, citation },
    { kind: "finish", choice: 0, reason: "stop" },
    { kind: "end" },
  ]);
});

test("its accounts are at an address of their own, where an operator gives no other, and a refusal is an error", async () => {
  const asked: unknown[] = [];
  const channel = { baseUrl: "https://api.aiproxy.io", key: "k" };
  const answering = (answer: object) => (request: object) => {
    asked.push(request);
    return Promise.resolve(answer as Readonly<Record<string, unknown>>);
  };
  expect(await balance(answering({ success: true, data: { totalPoints: 0.1 } }), channel, 0)).toEqual({
    amount: "0.1",
    currency: "points",
  });
  expect(asked).toEqual([
    { method: "GET", url: "https://aiproxy.io/api/report/getUserOverview", headers: ["api-key", "k"] },
  ]);
  await expect(balance(answering({ success: false, message: "no such key" }), channel, 0)).rejects.toMatchObject({
    kind: "refused",
  });
});

test.each([
  ["200-key", "auth", 401],
  ["200-rate", "rate", 429],
  ["200-library", "overloaded", 502],
])("the failure %s is of the kind %s", (name, kind, status) => {
  expect(failed(`${name}.json`)).toMatchObject({ kind, status, isRetryable: true });
});

test("what has a code is a failure, and an answer that speaks of one is none", () => {
  expect(isFailure('{"success":false,"errCode":401}')).toBe(true);
  expect(isFailure('data: {"success":false}')).toBe(true);
  expect(isFailure('{"success":true,"answer":"\\"errCode\\":5","errCode":0}')).toBe(false);
});
