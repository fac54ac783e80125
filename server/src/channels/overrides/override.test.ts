/** Operations of an override on bodies: every mode in four formats, conditions, paths, and what is pruned. */
import { describe, expect, test } from "vitest";
import { type Fields, run } from "./testing.ts";

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
