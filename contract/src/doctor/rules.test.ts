/** Tests of the rules: cases that no real server here produces, and that every finding has a text in both languages. */
import { readFileSync } from "node:fs";
import { expect, it, test } from "vitest";
import { callsOf, type Patient } from "./calls.ts";
import { type Heard, observe, type Observation, silent } from "./observation.ts";
import { FINDINGS, type FindingId, findingOf, isEnd } from "./rules.ts";
import { baseOf, CHARGED_STEPS, STEPS, worstOf } from "./steps.ts";

const seen = (change: Partial<Observation>): Observation => ({
  ...silent({ step: "plain", url: "https://gate.acme.dev/v1/chat/completions", family: "chat" }, "unreachable", 10),
  ...change,
});
const answered = (change: Partial<Observation>): Observation => {
  const { silence: _, ...rest } = seen({ status: 200, isJson: true, isGateway: true, ...change });
  return rest;
};
const found = (observation: Observation): string => findingOf(observation, "gpt-4o").id;

const CASES: readonly [FindingId | "fine", Observation][] = [
  ["unreachable", seen({})],
  ["timeout", seen({ silence: "timeout" })],
  ["too_slow_list", seen({ silence: "timeout", step: "models" })],
  ["gateway_body_limit", answered({ status: 413, code: "body_too_large" })],
  ["proxy_body_limit", answered({ status: 413, isJson: false, isGateway: false })],
  ["key_used_up", answered({ status: 401, code: "key_exhausted" })],
  ["key_quota_short", answered({ status: 403, code: "pre_consume_token_quota_failed" })],
  ["balance_short", answered({ status: 403, code: "insufficient_user_quota" })],
  ["account_banned", answered({ status: 403, code: "user_banned" })],
  ["group_wrong", answered({ status: 403, code: "group_unknown" })],
  ["no_price", answered({ status: 400, code: "model_price_error" })],
  ["too_many_requests", answered({ status: 429, code: "rate_limit_exceeded" })],
  ["upstream_silent", answered({ status: 504, code: "upstream_timeout" })],
  ["not_served", answered({ status: 400, code: "not_translatable" })],
  ["count_missing", answered({ step: "count", status: 400, code: "not_translatable" })],
  ["proxy_timeout", answered({ status: 504, isJson: false, isGateway: false })],
  ["proxy_without_server", answered({ status: 502, isJson: false, isGateway: false })],
  ["other_error", answered({ status: 500, code: "internal_error" })],
  ["other_error", answered({ step: "stream", isEventStream: true, isWhole: true, code: "upstream_failed" })],
  ["no_stream", answered({ step: "stream" })],
  ["clock_wrong", answered({ step: "models", models: ["gpt-4o"], clockAheadS: -600 })],
  ["model_not_listed", answered({ step: "models", models: ["other"] })],
  ["socket_refused", seen({ step: "socket" })],
  ["socket_refused", seen({ step: "socket", status: 401 })],
  ["socket_to_http", seen({ step: "socket", status: 426 })],
  ["fine", seen({ step: "socket", status: 101 })],
  ["fine", answered({ step: "head", status: 404 })],
  ["fine", answered({ step: "size", status: 400, code: "model_missing" })],
  ["fine", answered({ step: "models", models: ["gpt-4o"], clockAheadS: 60 })],
];

test.each(CASES)("%s", (id, observation) => expect(found(observation)).toBe(id));

it("takes a short stream that came at once for none that was held back", () => {
  const stream = { step: "stream", isEventStream: true, isWhole: true, events: 20, pieces: 20 } as const;
  expect(found(answered({ ...stream, ms: 90, lateEvents: 20, pieces: 1 }))).toBe("fine");
  expect(found(answered({ ...stream, ms: 2000, lateEvents: 20, pieces: 1 }))).toBe("buffered_stream");
  // A model that thinks first is no proxy that holds back.
  expect(found(answered({ ...stream, ms: 2000, lateEvents: 8 }))).toBe("fine");
});

it("takes whole events that come in bunches for a model's own, and pieces that end in an event for a buffer's", () => {
  const stream = { step: "stream", isEventStream: true, isWhole: true, events: 80, lateEvents: 10, ms: 2000 } as const;
  expect(found(answered({ ...stream, pieces: 8 }))).toBe("fine");
  expect(found(answered({ ...stream, pieces: 8, cutPieces: 6 }))).toBe("buffered_stream");
  expect(found(answered({ ...stream, pieces: 70, cutPieces: 2 }))).toBe("fine");
});

it("goes on after a failed call of one model, and not after a refused key", () => {
  const key = answered({ step: "models", status: 401, code: "key_disabled" });
  expect(isEnd(findingOf(key, "m"), key)).toBe(true);
  const model = answered({ status: 503, code: "no_available_channel" });
  expect(isEnd(findingOf(model, "m"), model)).toBe(false);
  expect(
    worstOf([{ severity: "ok" }, findingOf(model, "m"), findingOf(seen({ step: "socket", status: 426 }), "m")]),
  ).toBe("failure");
});

it("reads a stream's end, its error, and when its pieces came", () => {
  const heard = (text: string): Heard => ({
    status: 200,
    header: (name) => (name === "content-type" ? "text/event-stream" : ""),
    text,
    pieces: [
      { atMs: 10, end: 4 },
      { atMs: 50, end: 10 },
      { atMs: 70, end: text.length },
    ],
    endMs: 72,
    isCut: false,
  });
  const call = { step: "stream", url: "https://a.example/v1/chat/completions", family: "chat" } as const;
  expect(observe(call, heard("data: {}\n\ndata: [DONE]\n\n"), 0)).toMatchObject({
    isWhole: true,
    events: 2,
    lateEvents: 1,
    pieces: 3,
    cutPieces: 1,
  });
  expect(observe(call, heard('data: {"error":{"message":"no","code":"upstream_failed"}}\n\n'), 0)).toMatchObject({
    code: "upstream_failed",
    message: "no",
    isWhole: false,
  });
});

const patient = (family: Patient["family"]): Patient => ({
  family,
  base: baseOf(family, "https://gate.acme.dev"),
  key: "sk-secret",
  model: "a/b c",
});

it("never puts the key into an address, and asks nobody without a key but for HEAD", () => {
  for (const family of ["messages", "responses", "gemini", "chat"] as const)
    for (const { step, url, headers } of callsOf(patient(family))) {
      expect(url).not.toContain("sk-secret");
      expect(JSON.stringify(headers).includes("sk-secret")).toBe(step !== "head");
      expect(url).toMatch(/^https:\/\/gate\.acme\.dev\/(?!v1\/v1)/);
    }
  expect(callsOf(patient("gemini")).find(({ step }) => step === "plain")?.url).toContain("models/a%2Fb%20c:");
});

const words = (language: string) =>
  JSON.parse(readFileSync(`web/src/locales/${language}/connect.json`, "utf8")) as {
    steps: Record<string, string>;
    findings: Record<string, { title: string; repair: string }>;
  };

test.each(["en", "zh"])("every finding and step has its words in %s, and no other", (language) => {
  const { steps, findings } = words(language);
  expect(Object.keys(findings).toSorted()).toEqual([...FINDINGS].toSorted());
  expect(Object.keys(steps).toSorted()).toEqual([...STEPS].toSorted());
  for (const { title, repair } of Object.values(findings)) expect(title.length * repair.length).toBeGreaterThan(0);
  expect(CHARGED_STEPS.every((step) => step in steps)).toBe(true);
});
