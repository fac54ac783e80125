/** Long integers survive every translation, both ways: 64-bit ids and bounds of schemas arrive digit for digit. */
import { describe, expect, test } from "vitest";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { parseExact, parseExactObject, withPlainSettings } from "./exact.ts";
import { isObject } from "./fields.ts";
import { type DialectName, type JsonObject, eventsOf } from "../neutral/neutral.ts";
import { TranslatePipe } from "../stream/pipe.ts";
import { DIALECTS } from "../registry.ts";
import { SseSplitter } from "../../upstream/sse.ts";

const SNOWFLAKE = "1234567890123456789";
const LARGEST_INT64 = "9223372036854775807";

test.each([
  `{"id":${SNOWFLAKE}}`,
  `[-${SNOWFLAKE},1,${LARGEST_INT64}]`,
  `{"a":{"b":[ {"c":12345678901234567890123}]}}`,
  '{"text":"a: 1234567890123456789","n":1.5,"m":9007199254740991}',
])("%s comes back as it was", (text) => {
  expect(JSON.stringify(parseExact(text))).toBe(text.replaceAll(" {", "{"));
});

test("a long number is no object, and as a setting it is a number", () => {
  const fields = parseExactObject(`{"seed":${SNOWFLAKE},"in":{"id":${SNOWFLAKE}}}`) ?? {};
  expect(isObject(fields["seed"])).toBe(false);
  expect(withPlainSettings(fields)["seed"]).toBe(Number(SNOWFLAKE));
  expect(JSON.stringify(withPlainSettings(fields)["in"])).toBe(`{"id":${SNOWFLAKE}}`);
  expect(parseExactObject(SNOWFLAKE)).toBeUndefined();
  expect(parseExactObject("{")).toBeUndefined();
});

const schema = `{"type":"object","properties":{"id":{"type":"integer","maximum":${LARGEST_INT64}}},"required":["id"],"additionalProperties":false}`;
const args = `{"id":${SNOWFLAKE}}`;

/** A question, a call with a long id and its result, and a tool with a long bound, in each client's format. */
const REQUESTS: Readonly<Record<DialectName, string>> = {
  "openai-chat": `{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${JSON.stringify(args)}}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}],"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]}`,
  "openai-responses": `{"model":"m","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c1","name":"f","arguments":${JSON.stringify(args)}},{"type":"function_call_output","call_id":"c1","output":"ok"}],"tools":[{"type":"function","name":"f","parameters":${schema},"strict":false}]}`,
  "anthropic-messages": `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":${args}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]}],"tools":[{"name":"f","input_schema":${schema}}]}`,
  gemini: `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":${args}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":{"output":"ok"}}}]}],"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":${schema}}]}]}`,
};

const NAMES = Object.keys(REQUESTS) as DialectName[];
const PAIRS = NAMES.flatMap((from) => NAMES.filter((to) => to !== from).map((to) => [from, to] as const));
const INFO = { model: "m", requestId: "r", createdAt: 0, asksUsage: false, isArray: false };

describe.each(PAIRS)("%s to %s", (from, to) => {
  test("a call of an earlier turn and a tool's schema", () => {
    const fields = parseExact(REQUESTS[from]) as JsonObject;
    const neutral = DIALECTS[from].decodeRequest(fields, { model: "m", isStream: false });
    const body = JSON.stringify(DIALECTS[to].encodeRequest(neutral, () => undefined));
    expect(body).toContain(SNOWFLAKE);
    expect(body).toContain(LARGEST_INT64);
  });

  const call = { kind: "tool_call", id: "c1", name: "f", arguments: args } as const;
  const calls = ["c1", "c2", "c3", "c4"].map((id) => ({ ...call, id }));
  const answer = { id: "a", choices: [{ parts: calls, finish: "tool_calls" as const }], rawUsage: undefined };

  test("a call of an answer in one piece", () => {
    const text = JSON.stringify(DIALECTS[to].encodeAnswer(answer, NO_USAGE, INFO));
    expect(text.split(SNOWFLAKE)).toHaveLength(calls.length + 1);
    const decoded = DIALECTS[to].decodeAnswer(parseExactObject(text) ?? {});
    if (decoded === undefined) throw new Error("the answer was not read");
    const own = JSON.stringify(DIALECTS[from].encodeAnswer(decoded, NO_USAGE, INFO));
    expect(own.split(SNOWFLAKE)).toHaveLength(calls.length + 1);
  });

  test("a call of a stream", () => {
    const encoder = DIALECTS[to].createEncoder(INFO);
    const frames = [...eventsOf(answer)].map((event) => encoder.push(event)).join("") + encoder.close(NO_USAGE);
    const pipe = new TranslatePipe(DIALECTS[to].createDecoder(), DIALECTS[from].createEncoder(INFO), 1);
    let text = "";
    new SseSplitter(1_000_000).push(Buffer.from(frames), (bytes, latin) => {
      pipe.push(bytes, latin);
      text += pipe.out;
    });
    text += Buffer.concat(pipe.closing(NO_USAGE)).toString();
    expect(text.split(SNOWFLAKE).length - 1).toBeGreaterThanOrEqual(calls.length);
  });
});
