/** What an override is refused for when it is saved, what does not fit a request, and the bounds that hold against hostile rules and bodies. */
import { describe, expect, test } from "vitest";
import { OVERRIDE_MODES } from "../../../../contract/src/channels/overrides.ts";
import { checkOverrideText, overrideOf } from "./override.ts";
import { type Fields, run } from "./testing.ts";
import { OverrideFault } from "./work.ts";

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
      expect(() => checkOverrideText(JSON.stringify(sent))).not.toThrow();
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
