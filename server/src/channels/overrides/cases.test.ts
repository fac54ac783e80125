/** Operations of overrides, case by case: mode, path, condition and format, over bodies as they go out. What is left of a body is compared whole. */
import { describe, expect, test } from "vitest";
import { CONDITION_MODES, OVERRIDE_MODES, type OverrideMode } from "../../../../contract/src/channels/overrides.ts";
import {
  CASE_BODIES,
  CASE_FORMATS,
  type CaseBody,
  type NamedPlace,
  TEXT_PATHS,
} from "../../../../tests/support/relay/override-bodies.ts";
import { type Fields, run } from "./testing.ts";
import { OverrideFault } from "./work.ts";

/** The rule does not fit the body: the call ends. */
const FAULT = Symbol("fault");
/** The body stays as it was, and the receipt does not name the rule. */
const NOTHING = Symbol("nothing");
const GONE = Symbol("gone");
type After = typeof FAULT | typeof NOTHING | ((before: unknown) => unknown);

interface Case {
  mode: OverrideMode;
  where: string;
  operation: Fields;
  /** The body that is right afterwards, or a fault. */
  after(body: Fields): Fields | typeof FAULT | typeof NOTHING;
}

function put(body: Fields, place: readonly (string | number)[], value: unknown): void {
  const last = place.at(-1) ?? "";
  let parent: unknown = body;
  for (const step of place.slice(0, -1)) parent = (parent as Record<string | number, unknown>)[step] ??= {};
  if (value !== GONE) (parent as Record<string | number, unknown>)[last] = value;
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete (parent as Fields)[last];
}

const read = (body: Fields, place: readonly (string | number)[]): unknown =>
  place.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], body);

const changed =
  (places: NamedPlace["places"], after: After): Case["after"] =>
  (body) => {
    if (typeof after === "symbol") return after;
    for (const place of places) put(body, place, after(read(body, place)));
    return body;
  };

const text =
  (change: (before: string) => string): After =>
  (before) =>
    change(before as string);

/** Modes that act on a text, each with other fields, and what the text is afterwards. Texts are like " GPT/Sunny/v1 ". */
const TEXT_MODES: readonly (readonly [mode: OverrideMode, fields: Fields, after: After])[] = [
  ["append", { value: " END" }, text((before) => `${before} END`)],
  ["prepend", { value: "NOW " }, text((before) => `NOW ${before}`)],
  ["replace", { from: "/", to: "|" }, text((before) => before.split("/").join("|"))],
  [
    "regex_replace",
    { from: "^ (\\w+)/(.*)/v\\d $", to: "$2 by ${1}" },
    text((before) => `${before.slice(5, -4)} by GPT`),
  ],
  ["trim_prefix", { value: " GPT/" }, text((before) => before.slice(5))],
  ["trim_suffix", { value: "/v1 " }, text((before) => before.slice(0, -4))],
  ["ensure_prefix", { value: ">" }, text((before) => `>${before}`)],
  ["ensure_suffix", { value: "<" }, text((before) => `${before}<`)],
  ["trim_space", {}, text((before) => before.slice(1, -1))],
  ["to_lower", {}, text((before) => before.toLowerCase())],
  ["to_upper", {}, text((before) => before.toUpperCase())],
];
/** Of these a list and an object have their own meaning; the others want a text. */
const ADDS: ReadonlySet<OverrideMode> = new Set(["append", "prepend"]);

const textCases = ({ texts, number, list, object, missing }: CaseBody): Case[] =>
  TEXT_MODES.flatMap(([mode, fields, after]) => {
    const acts = (where: string, { path, places }: NamedPlace, result: After): Case => ({
      mode,
      where,
      operation: { path, ...fields },
      after: changed(places, result),
    });
    const ofList: After = ADDS.has(mode)
      ? (before) => (mode === "append" ? [...(before as []), " END"] : ["NOW ", ...(before as [])])
      : FAULT;
    return [
      ...TEXT_PATHS.map((name) => acts(`${name} path`, texts[name], after)),
      acts("missing path", missing, FAULT),
      acts("number", number, FAULT),
      acts("list", list, ofList),
      acts("object", object, FAULT),
      acts("star that finds nothing", { path: "nowhere.*.text", places: [] }, NOTHING),
      acts("index behind the end", { path: `${list.path}.9`, places: [] }, FAULT),
    ];
  });

const valueCases = ({ texts, number, list, object, missing }: CaseBody): Case[] => {
  const value = { kind: ["made"] };
  const set = (where: string, { path, places }: NamedPlace, after: After, more: Fields = {}): Case => ({
    mode: "set",
    where,
    operation: { path, value, ...more },
    after: changed(places, after),
  });
  const removed = (where: string, { path, places }: NamedPlace, after: After): Case => ({
    mode: "delete",
    where,
    operation: { path },
    after: changed(places, after),
  });
  const inside = (parent: NamedPlace, name: string, ...steps: (string | number)[]): NamedPlace => ({
    path: `${parent.path}.${name}`,
    places: parent.places.map((place) => [...place, ...steps]),
  });
  const each = {
    path: `${list.path}.*`,
    places: [...list.places, ...list.places].map((place, index) => [...place, index]),
  };
  return [
    ...TEXT_PATHS.map((name) => set(`${name} path`, texts[name], () => value)),
    set("missing path", missing, () => value),
    set("missing path, keep_origin", missing, () => value, { keep_origin: true }),
    set("dotted path, keep_origin", texts.dotted, NOTHING, { keep_origin: true }),
    set("name with an escaped dot", inside(object, "cost\\.centre", "cost.centre"), () => value),
    set("each of a list", each, () => value),
    set("last of a list", inside(list, "-1", 1), () => value),
    set("behind the end of a list", inside(list, "2", 2), () => value),
    set("name in a list", inside(list, "name"), FAULT),
    // A number has no members: an object takes its place.
    {
      ...set("name in a number", inside(number, "kind"), FAULT),
      after: changed(number.places, () => ({ kind: value })),
    },
    ...TEXT_PATHS.map((name) => removed(`${name} path`, texts[name], () => GONE)),
    removed("missing path", missing, NOTHING),
    removed("last of a list", inside(list, "-1", 1), () => GONE),
    removed("index behind the end", inside(list, "9"), NOTHING),
    removed("name with an escaped dot", inside(object, "cost\\.centre", "cost.centre"), () => GONE),
    removed("name in a text", inside(texts.dotted, "kind"), NOTHING),
  ];
};

/** What moves, copies and fills from one place to another. */
const pairCases = ({ texts, number, list, missing }: CaseBody): Case[] => {
  const pair = (
    mode: OverrideMode,
    where: string,
    from: NamedPlace,
    to: NamedPlace,
    after: Case["after"] = (body) => {
      const source = from.places[0] ?? [];
      const filled = changed(to.places, () => structuredClone(read(body, source)))(body);
      if (mode === "move") put(body, source, GONE);
      return filled;
    },
  ): Case => ({
    mode,
    where,
    operation: { from: mode === "sync_fields" ? `json:${from.path}` : from.path, to: to.path },
    after,
  });
  const nowhere = { path: "nowhere", places: [] };
  return [
    ...(["move", "copy"] as const).flatMap((mode) => [
      pair(mode, "dotted path to a missing one", texts.dotted, missing),
      pair(mode, "negative index to a missing path", texts.negative, missing),
      pair(mode, "list to a missing path", list, missing),
      pair(mode, "text over a number", texts.negative, number),
      pair(mode, "missing path to a dotted one", missing, texts.dotted, () => FAULT),
    ]),
    pair("sync_fields", "dotted path to a missing one", texts.dotted, missing),
    pair("sync_fields", "negative index to a missing path", texts.negative, missing),
    pair("sync_fields", "missing path from a dotted one", missing, texts.dotted, (body) =>
      changed(missing.places, () => read(body, texts.dotted.places[0] ?? []))(body),
    ),
    pair("sync_fields", "both are there", texts.dotted, texts.negative, () => NOTHING),
    pair("sync_fields", "neither is there", missing, nowhere, () => NOTHING),
  ];
};

const pruneCases = ({ pruned: { path, type, left }, missing }: CaseBody): Case[] => {
  const prune = (where: string, operation: Fields, after: After): Case => ({
    mode: "prune_objects",
    where,
    operation,
    after: changed([path.split(".").map((step) => (/^\d+$/.test(step) ? Number(step) : step))], after),
  });
  const condition = { path: "type", mode: "full", value: type };
  return [
    prune("by a type below a path", { path, value: type }, () => left),
    prune("by a type in the whole body", { value: type }, () => left),
    prune("by where", { path, value: { where: { type } } }, () => left),
    prune("by a condition, one list alone", { path, value: { conditions: [condition], recursive: false } }, () => left),
    prune("by a type that is not there", { path, value: "no_such_type" }, NOTHING),
    prune("below a missing path", { path: missing.path, value: type }, NOTHING),
  ];
};

const CASES = CASE_FORMATS.flatMap((format) => {
  const sample = CASE_BODIES[format];
  return [textCases, valueCases, pairCases, pruneCases].flatMap((make) =>
    make(sample).map(({ mode, where, ...rest }) => ({ format, mode, where, ...rest })),
  );
});

describe(`${CASES.length} cases of mode, path and format`, () => {
  test("there are at least 300, and every mode of bodies has some of its own in every format", () => {
    expect(CASES.length).toBeGreaterThanOrEqual(300);
    const modes = Object.entries(OVERRIDE_MODES).flatMap(([mode, fields]) =>
      "changes" in fields && fields.changes !== "headers" ? [mode] : [],
    );
    for (const format of CASE_FORMATS)
      expect([...new Set(CASES.filter((each) => each.format === format).map(({ mode }) => mode))].toSorted()).toEqual(
        modes.toSorted(),
      );
  });

  test.each(CASES)("$format, $mode: $where", ({ format, mode, operation, after }) => {
    const { body: fresh } = CASE_BODIES[format];
    const right = after(fresh());
    const rule = { mode, ...operation };
    if (right === FAULT) return expect(() => run([rule], fresh())).toThrow(OverrideFault);
    const { body, applied } = run([rule], fresh());
    expect(body).toEqual(right === NOTHING ? fresh() : right);
    expect(applied).toHaveLength(right === NOTHING ? 0 : 1);
    // The same rule under a condition that does not hold leaves every byte as it was.
    const gate = { conditions: [{ path: "original_model", mode: "full", value: "another" }] };
    const left = run([{ ...rule, ...gate }], fresh(), { facts: { original_model: "named" } });
    expect(JSON.stringify(left.body)).toBe(JSON.stringify(fresh()));
    expect(left.applied).toEqual([]);
  });
});

/** A condition on a text or a number of each body, and whether it holds. Texts are like " GPT/Sunny/v1 ". */
const CONDITIONS: readonly (readonly [
  mode: string,
  on: "text" | "number",
  value: (actual: never) => unknown,
  isTrue: boolean,
])[] = [
  ["full", "text", (actual: string) => actual, true],
  ["full", "text", (actual: string) => actual.trim(), false],
  ["full", "number", (actual: number) => actual, true],
  ["prefix", "text", () => " GPT", true],
  ["prefix", "text", () => "GPT", false],
  ["suffix", "text", () => "/v1 ", true],
  ["suffix", "text", () => "/v1", false],
  ["contains", "text", () => "PT/", true],
  ["contains", "text", () => "claude", false],
  ["gt", "number", (actual: number) => actual - 0.5, true],
  ["gt", "number", (actual: number) => actual, false],
  ["gte", "number", (actual: number) => actual, true],
  ["gte", "number", (actual: number) => actual + 0.5, false],
  ["lt", "number", (actual: number) => actual + 0.5, true],
  ["lt", "number", (actual: number) => actual, false],
  ["lte", "number", (actual: number) => actual, true],
  ["lte", "number", (actual: number) => actual - 0.5, false],
];

const actualOf = ({ body, texts, number }: CaseBody, on: "text" | "number"): { path: string; value: never } => {
  const place = on === "text" ? texts.negative : number;
  return { path: place.path, value: read(body(), place.places[0] ?? []) as never };
};

/** What acts under a condition: the body, a header, or the end of the call. */
const ACTS: readonly (readonly [name: string, operation: Fields, isDone: (made: ReturnType<typeof run>) => boolean])[] =
  [
    ["set", { mode: "set", path: "hit", value: true }, ({ body }) => body?.["hit"] === true],
    ["set_header", { mode: "set_header", path: "x-hit", value: "1" }, ({ headers }) => headers.includes("x-hit")],
    ["delete_header", { mode: "delete_header", path: "user-agent" }, ({ headers }) => !headers.includes("user-agent")],
    ["return_error", { mode: "return_error", value: "closed" }, ({ refusal }) => refusal?.message === "closed"],
  ];

const CONDITION_CASES = CASE_FORMATS.flatMap((format) =>
  CONDITIONS.flatMap(([mode, on, value, isTrue]) => ACTS.map(([act]) => ({ format, mode, on, value, isTrue, act }))),
);

describe(`${CONDITION_CASES.length} cases of condition, act and format`, () => {
  test("every way of comparing is among them, true and false", () => {
    for (const mode of CONDITION_MODES)
      expect(CONDITIONS.filter((each) => each[0] === mode).map((each) => each[3])).toEqual(
        expect.arrayContaining([true, false]),
      );
  });

  test.each(CONDITION_CASES)(
    "$format, $act under $mode on a $on: $isTrue",
    ({ format, mode, on, value, isTrue, act }) => {
      const sample = CASE_BODIES[format];
      const { path, value: actual } = actualOf(sample, on);
      const [, operation, isDone] = ACTS.find(([name]) => name === act) ?? expect.fail();
      const met = { path, mode, value: value(actual) };
      const done = (conditions: readonly Fields[], logic?: string): boolean =>
        isDone(run([{ ...operation, conditions, ...(logic === undefined ? {} : { logic }) }], sample.body()));
      expect(done([met])).toBe(isTrue);
      expect(done([{ ...met, invert: true }])).toBe(!isTrue);
      const missing = { ...met, path: sample.missing.path };
      expect(done([missing])).toBe(false);
      expect(done([{ ...missing, pass_missing_key: true }])).toBe(true);
      const never = { path: "nowhere", mode: "full", value: "x" };
      const always = { ...never, pass_missing_key: true };
      expect([done([met, never], "OR"), done([met, never], "AND")]).toEqual([isTrue, false]);
      expect([done([met, always], "OR"), done([met, always], "AND")]).toEqual([true, isTrue]);
      expect(done([met, never])).toBe(isTrue);
    },
  );
});

describe.each(CASE_FORMATS)("hostile patterns on a body of %s", (format) => {
  test.each(["(a+)+$", "(a|aa)+$", "(.*)*=(.*)*$", "(x+x+)+y", "(?:a?){50}a{50}"])("%s ends soon", (from) => {
    const { body: fresh, texts } = CASE_BODIES[format];
    const body = fresh();
    for (const place of texts.star.places) put(body, place, `${"a".repeat(20_000)}!`);
    const startMs = performance.now();
    try {
      run([{ mode: "regex_replace", path: texts.star.path, from, to: "b" }], body);
    } catch (error) {
      expect(error).toBeInstanceOf(OverrideFault);
    }
    expect(performance.now() - startMs).toBeLessThan(3_000);
  });
});
