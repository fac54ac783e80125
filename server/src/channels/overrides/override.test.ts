/** Parameter overrides: every mode on the bodies of four formats, conditions, paths, headers, what is refused, and the bounds that hold. */
import { describe, expect, test } from "vitest";
import { OVERRIDE_MODES } from "../../../../contract/src/channels/overrides.ts";
import { checkOverrideText, overrideOf, type OverrideRequest } from "./override.ts";
import { readableHeaders } from "./headers.ts";
import { OverrideFault } from "./work.ts";

type Fields = Record<string, unknown>;

function run(operations: readonly object[], body: Fields | undefined, request: Partial<OverrideRequest> = {}) {
  const text = JSON.stringify({ operations });
  const made = checkOverrideText(text).apply({
    body,
    headers: ["content-type", "application/json", "user-agent", "Turnpike", "authorization", "Bearer sk-up"],
    clientHeaders: {},
    facts: {},
    apiKey: "sk-up",
    ...request,
  });
  return { ...made, body };
}

/** Where each format has a text, a number, a list and an object. */
interface Sample {
  body: Fields;
  text: string;
  number: string;
  list: string;
  object: string;
}

const TEXT = "  gpt/Hello world/v1 ";

const SAMPLES: Readonly<Record<string, () => Sample>> = {
  chat: () => ({
    body: {
      model: "gpt-4o",
      temperature: 0.7,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: TEXT },
      ],
      stop: ["a", "b"],
      metadata: { team: "red" },
    },
    text: "messages.-1.content",
    number: "temperature",
    list: "stop",
    object: "metadata",
  }),
  responses: () => ({
    body: {
      model: "gpt-4o",
      temperature: 0.7,
      input: [{ role: "user", content: [{ type: "input_text", text: TEXT }] }],
      include: ["a", "b"],
      metadata: { team: "red" },
    },
    text: "input.0.content.0.text",
    number: "temperature",
    list: "include",
    object: "metadata",
  }),
  messages: () => ({
    body: {
      model: "claude-sonnet-4-6",
      temperature: 0.7,
      system: TEXT,
      messages: [{ role: "user", content: "hi" }],
      stop_sequences: ["a", "b"],
      metadata: { team: "red" },
    },
    text: "system",
    number: "temperature",
    list: "stop_sequences",
    object: "metadata",
  }),
  gemini: () => ({
    body: {
      contents: [{ role: "user", parts: [{ text: TEXT }] }],
      generationConfig: { temperature: 0.7, stopSequences: ["a", "b"] },
      labels: { team: "red" },
    },
    text: "contents.*.parts.0.text",
    number: "generationConfig.temperature",
    list: "generationConfig.stopSequences",
    object: "labels",
  }),
};

type Slot = "text" | "number" | "list" | "object";
const GONE = Symbol("gone");
const START: Readonly<Record<Slot, unknown>> = {
  text: TEXT,
  number: 0.7,
  list: ["a", "b"],
  object: { team: "red" },
};

/** Mode, where it acts, its other fields, and what is there afterwards. */
const EFFECTS: readonly (readonly [mode: string, slot: Slot, fields: Fields, after: unknown])[] = [
  ["set", "number", { value: 0.1 }, 0.1],
  ["set", "number", { value: 0.1, keep_origin: true }, 0.7],
  ["set", "text", {}, null],
  ["set", "object", { value: { a: [1, { b: null }] } }, { a: [1, { b: null }] }],
  ["delete", "number", {}, GONE],
  ["delete", "list", {}, GONE],
  ["append", "text", { value: "!" }, `${TEXT}!`],
  ["append", "text", { value: 5 }, `${TEXT}5`],
  ["append", "list", { value: "c" }, ["a", "b", "c"]],
  ["append", "list", { value: ["c", "d"] }, ["a", "b", "c", "d"]],
  ["append", "object", { value: { team: "blue", x: 1 } }, { team: "blue", x: 1 }],
  ["append", "object", { value: { team: "blue", x: 1 }, keep_origin: true }, { team: "red", x: 1 }],
  ["prepend", "text", { value: "!" }, `!${TEXT}`],
  ["prepend", "list", { value: ["y", "z"] }, ["y", "z", "a", "b"]],
  ["replace", "text", { from: "o", to: "0" }, "  gpt/Hell0 w0rld/v1 "],
  ["replace", "text", { from: " ", to: "" }, "gpt/Helloworld/v1"],
  ["replace", "text", { from: "$1", to: "x" }, TEXT],
  ["regex_replace", "text", { from: "(\\w+) (\\w+)/", to: "$2 ${1}$$/" }, "  gpt/world Hello$/v1 "],
  ["regex_replace", "text", { from: "(?i)GPT/|/v\\d+", to: "" }, "  Hello world "],
  ["regex_replace", "text", { from: "(?P<first>l+)o", to: "[$first]" }, "  gpt/He[ll] world/v1 "],
  ["trim_prefix", "text", { value: "  gpt/" }, "Hello world/v1 "],
  ["trim_prefix", "text", { value: "gpt/" }, TEXT],
  ["trim_suffix", "text", { value: "/v1 " }, "  gpt/Hello world"],
  ["ensure_prefix", "text", { value: "openai/" }, `openai/${TEXT}`],
  ["ensure_prefix", "text", { value: "  gpt" }, TEXT],
  ["ensure_suffix", "text", { value: "-x" }, `${TEXT}-x`],
  ["trim_space", "text", {}, "gpt/Hello world/v1"],
  ["to_lower", "text", {}, "  gpt/hello world/v1 "],
  ["to_upper", "text", {}, "  GPT/HELLO WORLD/V1 "],
];

/** Conditions, and whether the operation is applied under them, in any format. */
const GATES: readonly (readonly [name: string, fields: Fields, isApplied: boolean])[] = [
  ["no condition", {}, true],
  ["a condition that holds", { conditions: [{ path: "original_model", mode: "prefix", value: "my" }] }, true],
  ["a condition that does not", { conditions: [{ path: "original_model", mode: "full", value: "other" }] }, false],
];

const valueOf = (body: Fields, path: string): unknown => {
  const [, value] = path
    .replaceAll("*", "0")
    .split(".")
    .reduce<[boolean, unknown]>(
      ([exists, at], name) => {
        if (!exists) return [false, undefined];
        const key = name === "-1" ? String((at as unknown[]).length - 1) : name;
        return Object.hasOwn(at as object, key) ? [true, (at as Fields)[key]] : [false, GONE];
      },
      [true, body],
    );
  return value ?? (value === null ? null : GONE);
};

describe.each(Object.keys(SAMPLES))("%s", (format) => {
  describe.each(GATES)("%s", (_name, gate, isApplied) => {
    test.each(EFFECTS)("%s of a %s with %j", (mode, slot, fields, after) => {
      const sample = (SAMPLES[format] as () => Sample)();
      const untouched = (SAMPLES[format] as () => Sample)().body;
      const { body } = run([{ mode, path: sample[slot], ...fields, ...gate }], sample.body, {
        facts: { original_model: "my-model" },
      });
      expect(valueOf(body as Fields, sample[slot])).toEqual(isApplied ? after : START[slot]);
      for (const other of ["text", "number", "list", "object"] as const)
        if (other !== slot) expect(valueOf(body as Fields, sample[other])).toEqual(valueOf(untouched, sample[other]));
      if (!isApplied) expect(body).toEqual(untouched);
    });
  });
});

const holds = (condition: Fields, body: Fields, logic?: string, others: readonly Fields[] = []): boolean => {
  const operation = { mode: "set", path: "hit", value: true, conditions: [condition, ...others], logic };
  return run([operation], { ...body }).body?.["hit"] === true;
};

describe("conditions", () => {
  const body = {
    text: "gpt-4o",
    number: 5,
    flag: true,
    none: null,
    list: [{ role: "user" }, { role: "tool" }],
    object: { a: 1 },
  };

  test.each([
    ["text", "full", "gpt-4o", true],
    ["text", "FULL", "gpt-4o", true],
    ["text", "full", "gpt-4", false],
    ["text", "prefix", "gpt", true],
    ["text", "prefix", "4o", false],
    ["text", "suffix", "4o", true],
    ["text", "contains", "t-4", true],
    ["text", "contains", "claude", false],
    ["number", "full", 5, true],
    ["number", "gt", 4, true],
    ["number", "gt", 5, false],
    ["number", "gte", 5, true],
    ["number", "lt", 5, false],
    ["number", "lte", 5, true],
    ["flag", "full", true, true],
    ["flag", "full", false, false],
    ["none", "full", null, true],
    ["none", "full", "x", false],
    ["object", "full", { a: 1 }, true],
    ["object", "contains", '"a":1', true],
    ["list.#", "gt", 1, true],
    ["list.#.role", "contains", "tool", true],
    ["list.*.role", "contains", "assistant", false],
    ["list.-1.role", "full", "tool", true],
    ["list.5.role", "full", "tool", false],
    ["missing", "full", "x", false],
  ])("%s %s %j: %s", (path, mode, value, expected) => {
    expect(holds({ path, mode, value }, body)).toBe(expected);
    const isThere = !["missing", "list.5.role"].includes(path);
    expect(holds({ path, mode, value, invert: true }, body)).toBe(isThere && !expected);
  });

  test("a missing key passes where the condition says so, also inverted", () => {
    for (const invert of [false, true])
      expect(holds({ path: "missing", mode: "full", value: "x", pass_missing_key: true, invert }, body)).toBe(true);
  });

  test.each([
    [undefined, true],
    ["OR", true],
    ["and", false],
  ])("one of two that hold, logic %s: %s", (logic, expected) => {
    const second = { path: "number", mode: "gt", value: 100 };
    expect(holds({ path: "text", mode: "prefix", value: "gpt" }, body, logic, [second])).toBe(expected);
  });

  test("an object stands for conditions that compare in full", () => {
    const operation = { mode: "set", path: "hit", value: 1, conditions: { text: "gpt-4o", number: 5 }, logic: "AND" };
    expect(run([operation], { ...body }).body).toMatchObject({ hit: 1 });
  });

  test("the body goes before what is known of the call, and each operation sees those before it", () => {
    const operations = [
      { mode: "set", path: "model", value: "b", conditions: [{ path: "model", mode: "full", value: "a" }] },
      { mode: "set", path: "saw", value: true, conditions: [{ path: "model", mode: "full", value: "b" }] },
      { mode: "set", path: "again", value: 1, conditions: [{ path: "retry.index", mode: "gte", value: 1 }] },
    ];
    const request = { facts: { model: "z", retry: { index: 1 } } };
    expect(run(operations, { model: "a" }, request).body).toEqual({ model: "b", saw: true, again: 1 });
  });

  test.each([
    ["text", "full", 5, "text cannot be compared with a number"],
    ["text", "gt", 5, "text cannot be compared with a number"],
    ["list", "full", "x", "a list cannot be compared with text"],
  ])("%s %s %j is a fault, so that a rule which forbids is never passed by", (path, mode, value, message) => {
    expect(() => holds({ path, mode, value }, body)).toThrow(
      `operations[0] (set): the condition on ${path}: ${message}`,
    );
  });
});

describe("paths", () => {
  test.each<[string, object, Fields, Fields]>([
    ["makes what is missing", { mode: "set", path: "a.b.c", value: 1 }, {}, { a: { b: { c: 1 } } }],
    ["makes lists for indexes", { mode: "set", path: "a.1.b", value: 1 }, {}, { a: [null, { b: 1 }] }],
    ["takes digits after a colon for a name", { mode: "set", path: "a.:1", value: 1 }, {}, { a: { "1": 1 } }],
    ["takes an escaped dot for a part of the name", { mode: "set", path: "a\\.b", value: 1 }, {}, { "a.b": 1 }],
    ["takes an escaped star for a name", { mode: "delete", path: "\\*" }, { "*": 1, a: 2 }, { a: 2 }],
    ["replaces a value that has no members", { mode: "set", path: "a.b", value: 1 }, { a: 5 }, { a: { b: 1 } }],
    ["puts one behind a list", { mode: "set", path: "a.2", value: 3 }, { a: [1, 2] }, { a: [1, 2, 3] }],
    ["removes of a list by an index", { mode: "delete", path: "a.0" }, { a: [1, 2] }, { a: [2] }],
    ["removes all of a list", { mode: "delete", path: "a.*" }, { a: [1, 2, 3] }, { a: [] }],
    ["removes nothing that is not there", { mode: "delete", path: "a.9.b" }, { a: [1] }, { a: [1] }],
    ["sets in each member", { mode: "set", path: "m.*.x", value: 1 }, { m: [{}, {}] }, { m: [{ x: 1 }, { x: 1 }] }],
    ["sets in each value", { mode: "set", path: "o.*.x", value: 1 }, { o: { a: {} } }, { o: { a: { x: 1 } } }],
    ["does nothing where a star finds nothing", { mode: "set", path: "m.*.x", value: 1 }, { m: 5 }, { m: 5 }],
    ["moves", { mode: "move", from: "a.b", to: "c.d" }, { a: { b: 1 } }, { a: {}, c: { d: 1 } }],
    ["copies", { mode: "copy", from: "a", to: "b" }, { a: [1] }, { a: [1], b: [1] }],
    ["copies into itself once", { mode: "copy", from: "a", to: "a.b" }, { a: { c: 1 } }, { a: { c: 1, b: { c: 1 } } }],
    ["moves the last of a list", { mode: "move", from: "m.-1", to: "last" }, { m: [1, 2] }, { m: [1], last: 2 }],
  ])("%s", (_name, operation, body, after) => expect(run([operation], body).body).toEqual(after));

  test("a copy is another value than its source", () => {
    const operations = [
      { mode: "copy", from: "a", to: "b" },
      { mode: "set", path: "a.x", value: 1 },
    ];
    expect(run(operations, { a: {} }).body).toEqual({ a: { x: 1 }, b: {} });
  });

  test("long numbers keep their digits, and no name of a body reaches a prototype", () => {
    const body = JSON.parse('{"o":{"__proto__":{},"b":{}}}') as Fields;
    run([{ mode: "set", path: "o.*.polluted", value: true }], body);
    expect(({} as Fields)["polluted"]).toBeUndefined();
    expect(JSON.stringify(body)).toContain('"__proto__":{"polluted":true}');
    const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
    const long = { id: rawJSON("9007199254740993"), tools: [1] };
    run([{ mode: "copy", from: "id", to: "copied" }], long);
    expect(JSON.stringify(long)).toBe('{"id":9007199254740993,"tools":[1],"copied":9007199254740993}');
  });
});

describe("prune_objects", () => {
  const body = (): Fields => ({
    messages: [
      { role: "assistant", content: [{ type: "text" }, { type: "thinking", of: { type: "thinking" } }] },
      { role: "user", content: [{ type: "wrap", parts: [{ type: "thinking" }, { type: "text" }] }] },
    ],
    extra: { type: "thinking" },
  });
  const without = {
    messages: [
      { role: "assistant", content: [{ type: "text" }] },
      { role: "user", content: [{ type: "wrap", parts: [{ type: "text" }] }] },
    ],
  };

  test.each<[string, object, Fields]>([
    ["by a type, everywhere", { value: "thinking" }, without],
    ["the same as an object", { value: { type: "thinking" } }, without],
    ["below a path", { path: "messages", value: "thinking" }, { ...without, extra: { type: "thinking" } }],
    [
      "of one list alone",
      { path: "messages.0.content", value: { where: { type: "thinking" }, recursive: false } },
      { ...body(), messages: [(without.messages as unknown[])[0], (body()["messages"] as unknown[])[1]] },
    ],
    [
      "by conditions, any of them",
      {
        path: "messages",
        value: {
          logic: "OR",
          conditions: [
            { path: "type", mode: "prefix", value: "th" },
            { path: "role", mode: "full", value: "user" },
          ],
        },
      },
      { messages: [without.messages[0]], extra: { type: "thinking" } },
    ],
  ])("%s", (_name, operation, after) =>
    expect(run([{ mode: "prune_objects", ...operation }], body()).body).toEqual(after),
  );

  test("what cannot be compared is no match: schemas have a field of the name", () => {
    const schema = { properties: { type: { type: "string" } } };
    expect(run([{ mode: "prune_objects", value: "thinking" }], { schema }).body).toEqual({ schema });
  });
});

describe("headers", () => {
  const clientHeaders = readableHeaders({
    "x-trace": "t-1",
    "anthropic-beta": "a, b, c",
    authorization: "Bearer sk-of-a-user",
    "x-api-key": "sk-of-a-user",
    cookie: "session=s",
    "content-length": "5",
    "turnpike-hops": "abc",
  });
  const set = (operation: Fields): Record<string, string> => {
    const { headers } = run([operation], {}, { clientHeaders });
    return Object.fromEntries(
      headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ""]] : [])),
    );
  };
  const PLAIN = { "content-type": "application/json", "user-agent": "Turnpike", authorization: "Bearer sk-up" };

  test.each<[string, Fields, Record<string, string>]>([
    ["set", { mode: "set_header", path: "X-Team", value: " red " }, { ...PLAIN, "x-team": "red" }],
    ["set to a number", { mode: "set_header", path: "X-Team", value: 5 }, { ...PLAIN, "x-team": "5" }],
    ["replaced", { mode: "set_header", path: "User-Agent", value: "mine/1" }, { ...PLAIN, "user-agent": "mine/1" }],
    ["kept", { mode: "set_header", path: "User-Agent", value: "mine/1", keep_origin: true }, PLAIN],
    [
      "set with the channel's key",
      { mode: "set_header", path: "authorization", value: "Key {api_key}" },
      { ...PLAIN, authorization: "Key sk-up" },
    ],
    [
      "set from a header of the client",
      { mode: "set_header", path: "x-a", value: "{client_header:X-Trace}/1" },
      { ...PLAIN, "x-a": "t-1/1" },
    ],
    [
      "left out",
      { mode: "delete_header", path: "User-Agent" },
      { "content-type": "application/json", authorization: "Bearer sk-up" },
    ],
    ["copied", { mode: "copy_header", from: "X-Trace", to: "X-B" }, { ...PLAIN, "x-b": "t-1" }],
    ["copied under its own name", { mode: "copy_header", path: "X-Trace" }, { ...PLAIN, "x-trace": "t-1" }],
    ["not copied where there is none", { mode: "copy_header", from: "X-None", to: "X-B" }, PLAIN],
    ["moved", { mode: "move_header", from: "X-Trace", to: "X-B" }, { ...PLAIN, "x-b": "t-1" }],
    ["passed", { mode: "pass_headers", value: ["X-Trace", "X-None"] }, { ...PLAIN, "x-trace": "t-1" }],
    ["passed by a text", { mode: "pass_headers", value: "x-trace, x-none" }, { ...PLAIN, "x-trace": "t-1" }],
    ["passed by JSON in a text", { mode: "pass_headers", value: '["x-trace"]' }, { ...PLAIN, "x-trace": "t-1" }],
    ["passed by an object", { mode: "pass_headers", value: { headers: ["x-trace"] } }, { ...PLAIN, "x-trace": "t-1" }],
    [
      "mapped item by item",
      { mode: "set_header", path: "anthropic-beta", value: { a: "A", b: null, $append: ["d", "A"] } },
      { ...PLAIN, "anthropic-beta": "A,c,d" },
    ],
    [
      "mapped to what is named alone",
      { mode: "set_header", path: "anthropic-beta", value: { c: "c", $keep_only_declared: true } },
      { ...PLAIN, "anthropic-beta": "c" },
    ],
    [
      "mapped with a star for all others",
      { mode: "set_header", path: "anthropic-beta", value: { a: "a", "*": ["x"] } },
      { ...PLAIN, "anthropic-beta": "a,x" },
    ],
    ["synced from a header", { mode: "sync_fields", from: "header:x-trace", to: "json:user" }, PLAIN],
  ])("%s", (_name, operation, expected) => expect(set(operation)).toEqual(expected));

  test("fields are synced both ways, and left where both are there", () => {
    const sync = { mode: "sync_fields", from: "header:X-Trace", to: "json:metadata.trace" };
    expect(run([sync], {}, { clientHeaders }).body).toEqual({ metadata: { trace: "t-1" } });
    const both = run([sync], { metadata: { trace: "t-2" } }, { clientHeaders });
    expect(both.body).toEqual({ metadata: { trace: "t-2" } });
    expect(both.applied).toEqual([]);
    const back = run([{ ...sync, from: "header:x-session" }], { metadata: { trace: "t-3" } }, { clientHeaders });
    expect(back.headers.slice(-2)).toEqual(["x-session", "t-3"]);
  });

  test("rules see neither the caller's key and session, nor what the gateway writes itself", () => {
    expect(clientHeaders).toEqual({ "x-trace": "t-1", "anthropic-beta": "a, b, c" });
    const asks = { path: "request_headers.authorization", mode: "contains", value: "sk" };
    expect(run([{ mode: "set", path: "hit", value: 1, conditions: [asks] }], {}, { clientHeaders }).body).toEqual({});
    const knows = { path: "request_headers.x-trace", mode: "full", value: "t-1" };
    expect(run([{ mode: "set", path: "hit", value: 1, conditions: [knows] }], {}, { clientHeaders }).body).toEqual({
      hit: 1,
    });
  });

  test("the channel's key is filled in last: no condition and no field reads it", () => {
    const operations = [
      { mode: "set_header", path: "x-key", value: "{api_key}" },
      { mode: "sync_fields", from: "header:x-key", to: "json:key" },
      {
        mode: "set",
        path: "hit",
        value: 1,
        conditions: [{ path: "header_override.x-key", mode: "contains", value: "sk" }],
      },
    ];
    const { body, headers } = run(operations, {});
    expect(body).toEqual({ key: "{api_key}" });
    expect(headers.slice(-2)).toEqual(["x-key", "sk-up"]);
    const client = run([{ mode: "pass_headers", value: "x-a" }], {}, { clientHeaders: { "x-a": "{api_key}" } });
    expect(client.headers.slice(-2)).toEqual(["x-a", "{api_key}"]);
  });

  test("a text with line breaks never becomes a header", () => {
    const sync = { mode: "sync_fields", from: "json:user", to: "header:x-user" };
    expect(() => run([sync], { user: "a\r\nx-evil: 1" })).toThrow("none that a header can hold");
  });
});

describe("return_error", () => {
  test.each<[unknown, object]>([
    ["no", { message: "no", status: 400, code: "invalid_request", type: "invalid_request_error", skipsRetry: true }],
    [
      { message: " no ", status_code: 451, code: "blocked", type: "policy", skip_retry: false },
      { message: "no", status: 451, code: "blocked", type: "policy", skipsRetry: false },
    ],
    [
      { msg: "no", status: 422, code: 7 },
      { message: "no", status: 422, code: "7" },
    ],
  ])("%j", (value, refusal) => {
    const operations = [
      { mode: "return_error", value },
      { mode: "set", path: "late", value: 1 },
    ];
    const made = run(operations, {});
    expect(made.refusal).toMatchObject(refusal);
    expect(made.body).toEqual({});
    expect(made.applied).toEqual(["return_error"]);
  });
});

describe("what is refused when it is saved", () => {
  const operation = (sent: object): object => ({ operations: [{ mode: "to_lower", path: "model" }, sent] });

  test.each<[object, string, string]>([
    [{ operations: {} }, "param_override.operations", "list"],
    [{ operations: ["set"] }, "param_override.operations[0]", "map"],
    [operation({}), "param_override.operations[1].mode", "choice"],
    [operation({ mode: "sett", path: "a" }), "param_override.operations[1].mode", "choice"],
    [operation({ mode: "set", path: "a", values: 1 }), "param_override.operations[1].values", "unknown_name"],
    [operation({ mode: "set" }), "param_override.operations[1].path", "needed"],
    [operation({ mode: "set", path: 5 }), "param_override.operations[1].path", "text"],
    [operation({ mode: "set", path: "a..b" }), "param_override.operations[1].path", "path_blank"],
    [operation({ mode: "set", path: "a.#(b==1).c" }), "param_override.operations[1].path", "path_query"],
    [operation({ mode: "set", path: "__proto__.a" }), "param_override.operations[1].path", "reserved"],
    [operation({ mode: "set", path: "a.".repeat(40) + "a" }), "param_override.operations[1].path", "too_many"],
    [operation({ mode: "set", path: "a".repeat(300) }), "param_override.operations[1].path", "long"],
    [operation({ mode: "set", path: "a", keep_origin: "yes" }), "param_override.operations[1].keep_origin", "boolean"],
    [operation({ mode: "set", path: "a", logic: "XOR" }), "param_override.operations[1].logic", "choice"],
    [operation({ mode: "append", path: "a" }), "param_override.operations[1].value", "needed"],
    [operation({ mode: "ensure_prefix", path: "a", value: "" }), "param_override.operations[1].value", "needed"],
    [operation({ mode: "move", from: "a" }), "param_override.operations[1].to", "needed"],
    [operation({ mode: "copy", from: "a.*", to: "b" }), "param_override.operations[1].from", "path_one"],
    [operation({ mode: "replace", path: "a", to: "b" }), "param_override.operations[1].from", "needed"],
    [operation({ mode: "regex_replace", path: "a", from: "(?=x)" }), "param_override.operations[1].from", "pattern"],
    [
      operation({ mode: "regex_replace", path: "a", from: "(a{90}){9}" }),
      "param_override.operations[1].from",
      "pattern_size",
    ],
    [operation({ mode: "sync_fields", from: "x:a", to: "b" }), "param_override.operations[1].from", "choice"],
    [operation({ mode: "set_header", path: "a b", value: "1" }), "param_override.operations[1].path", "header_name"],
    [operation({ mode: "set_header", path: "Host", value: "1" }), "param_override.operations[1].path", "header_own"],
    [operation({ mode: "set_header", path: "a", value: "1\n2" }), "param_override.operations[1].value", "header_value"],
    [
      operation({ mode: "set_header", path: "a", value: "{client_header:cookie}" }),
      "param_override.operations[1].value",
      "header_secret",
    ],
    [
      operation({ mode: "copy_header", from: "Authorization", to: "x" }),
      "param_override.operations[1].from",
      "header_secret",
    ],
    [operation({ mode: "pass_headers", value: ["x-api-key"] }), "param_override.operations[1].value", "header_secret"],
    [
      operation({ mode: "pass_headers", value: ["Content-Length"] }),
      "param_override.operations[1].value",
      "header_own",
    ],
    [operation({ mode: "pass_headers", value: [] }), "param_override.operations[1].value", "needed"],
    [operation({ mode: "return_error", value: {} }), "param_override.operations[1].value.message", "needed"],
    [
      operation({ mode: "return_error", value: { message: "x", status_code: 200 } }),
      "param_override.operations[1].value.status_code",
      "error_status",
    ],
    [operation({ mode: "prune_objects", value: {} }), "param_override.operations[1].value", "needed"],
    [
      operation({ mode: "set", path: "a", conditions: [{ path: "b" }] }),
      "param_override.operations[1].conditions[0].mode",
      "choice",
    ],
    [
      operation({ mode: "set", path: "a", conditions: [{ mode: "full" }] }),
      "param_override.operations[1].conditions[0].path",
      "needed",
    ],
    [
      operation({ mode: "set", path: "a", conditions: [{ path: "b", mode: "gt", value: "5" }] }),
      "param_override.operations[1].conditions[0].value",
      "number",
    ],
    [
      { operations: Array.from({ length: 101 }, () => ({ mode: "delete", path: "a" })) },
      "param_override.operations",
      "too_many",
    ],
  ])("%j", (sent, path, reason) => {
    expect(() => checkOverrideText(JSON.stringify(sent, null, 2))).toThrow(
      expect.objectContaining({
        code: "channel_override_invalid",
        field: "param_override",
        values: expect.objectContaining({ path, reason }),
      }),
    );
  });

  test("the sentence begins with the place and ends with its line", () => {
    const text = JSON.stringify(operation({ mode: "sett" }), null, 2);
    expect(() => checkOverrideText(text)).toThrow(
      /^param_override\.operations\[1\]\.mode: Please choose one of set, .*\(line 8, column \d+\)$/,
    );
  });

  test("every mode of the table is known to the engine", () => {
    for (const mode of Object.keys(OVERRIDE_MODES)) {
      const value = mode === "pass_headers" ? "x-a" : "x";
      const sent = { operations: [{ mode, path: "x-a", from: "x-a", to: "x-b", value }] };
      expect(() => checkOverrideText(JSON.stringify(sent)), mode).not.toThrow();
    }
  });
});

describe("faults of a request", () => {
  test.each<[string, object, Fields]>([
    ["text operations want text", { mode: "to_lower", path: "n" }, { n: 5 }],
    ["and something that is there", { mode: "trim_space", path: "n" }, {}],
    ["nothing is added to a number", { mode: "append", path: "n", value: 1 }, { n: 5 }],
    ["nothing is moved from nowhere", { mode: "move", from: "n", to: "m" }, {}],
    ["no text is merged into an object", { mode: "append", path: "o", value: "x" }, { o: {} }],
    ["no name is set in a list", { mode: "set", path: "l.name", value: 1 }, { l: [] }],
    ["no index far behind the end", { mode: "set", path: "l.900", value: 1 }, { l: [] }],
  ])("%s", (_name, operation, body) => {
    expect(() => run([operation], body)).toThrow(OverrideFault);
    expect(() => run([operation], body)).toThrow(/^operations\[0\] \(\w+\): /);
  });
});

test("plain fields and operations stand side by side; a stored override is compiled once", () => {
  const stored = { temperature: 0, "a.b": 1, operations: [{ mode: "delete", path: "top_p" }] };
  const compiled = overrideOf(stored);
  expect(compiled.plain).toEqual({ temperature: 0, "a.b": 1 });
  expect([...compiled.plainTexts]).toEqual([
    ["temperature", "0"],
    ["a.b", "1"],
  ]);
  expect(overrideOf(stored)).toBe(compiled);
});

test("a receipt has modes and paths, each once, and never a value", () => {
  const operations = [
    { mode: "set", path: "user", value: "secret-1" },
    { mode: "set", path: "user", value: "secret-2" },
    { mode: "replace", path: "user", from: "secret-2", to: "secret-3" },
    { mode: "set_header", path: "X-Key", value: "secret-4" },
    { mode: "copy", from: "user", to: "name" },
    { mode: "delete", path: "missing" },
    ...Array.from({ length: 60 }, (_, index) => ({ mode: "set", path: `field${index}`, value: 1 })),
  ];
  const { applied } = run(operations, {});
  expect(applied.slice(0, 4)).toEqual(["set user", "replace user", "set_header X-Key", "copy user -> name"]);
  expect(applied).toHaveLength(32);
  expect(applied.join(" ")).not.toContain("secret");
});

test("a body that goes on as it came keeps its bytes: conditions read its form, headers change, the rest is counted", () => {
  const operations = [
    { mode: "set", path: "model", value: "x" },
    { mode: "set_header", path: "x-a", value: "1", conditions: [{ path: "model", mode: "full", value: "whisper-1" }] },
  ];
  const made = run(operations, undefined, { shownBody: { model: "whisper-1" } });
  expect(made.leftOut).toBe(1);
  expect(made.headers.slice(-2)).toEqual(["x-a", "1"]);
  expect(made.applied).toEqual(["set_header x-a"]);
});

describe("bounds", () => {
  const elapsedMs = (act: () => unknown): number => {
    const startMs = performance.now();
    act();
    return performance.now() - startMs;
  };
  const quietly = (operations: readonly object[], body: Fields) => () => {
    try {
      run(operations, body);
    } catch (error) {
      expect(error).toBeInstanceOf(OverrideFault);
    }
  };

  /** Each takes a backtracking engine seconds to years. */
  test.each([
    ["(a+)+$", 30_000],
    ["(a|aa)+$", 30_000],
    ["(a|a?)+$", 30_000],
    ["(.*)*=(.*)*$", 30_000],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", 30_000],
    ["(x+x+)+y", 30_000],
    ["(?:a?){50}a{50}", 2_000],
    ["a|b|c", 60_000],
  ])("%s on %i letters holds up nothing", (from, letters) => {
    const body = { text: `${"a".repeat(letters)}!` };
    const all = Array.from({ length: 100 }, () => ({ mode: "regex_replace", path: "text", from, to: "b" }));
    expect(elapsedMs(quietly(all, body))).toBeLessThan(3_000);
  });

  test("a body that doubles with each operation stops at a bound", () => {
    const doubling = Array.from({ length: 100 }, (_, index) => ({ mode: "copy", from: "a", to: `a.x${index}` }));
    expect(() => run(doubling, { a: { text: "x".repeat(1_000) } })).toThrow("add more than");
    const texts = Array.from({ length: 100 }, () => ({
      mode: "replace",
      path: "t",
      from: "a",
      to: "aaaaaaaaaaaaaaaa",
    }));
    expect(() => run(texts, { t: "aaaa" })).toThrow("add more than");
  });

  test("stars that multiply stop at a bound", () => {
    const row = Array.from({ length: 200 }, () => ({}));
    const body = { a: row.map(() => ({ b: row.map(() => ({})) })) };
    expect(() => run([{ mode: "set", path: "a.*.b.*.c", value: 1 }], body)).toThrow("more than 10000 places");
  });

  test("conditions that read all of a large body a thousand times stop at a bound", () => {
    const condition = { path: "messages", mode: "contains", value: "needle" };
    const operation = { mode: "set", path: "x", value: 1, conditions: Array.from({ length: 20 }, () => condition) };
    const body = { messages: [{ content: "x".repeat(4_000_000) }] };
    expect(
      elapsedMs(
        quietly(
          Array.from({ length: 100 }, () => operation),
          body,
        ),
      ),
    ).toBeLessThan(5_000);
  });
});
