/** Body operations of an override: each is compiled once, and changes a parsed JSON body in place. */
import {
  OverrideProblem,
  readConditions,
  readLogic,
  readPath,
} from "../../../../contract/src/channels/override-reader.ts";
import {
  type OverrideOperation,
  type OverrideMode,
  type PathStep,
} from "../../../../contract/src/channels/overrides.ts";
import type { JsonPath } from "../../../../contract/src/options/json-places.ts";
import { type Asked, type CompiledConditions, compileConditions } from "./conditions.ts";
import { patternOf } from "./patterns.ts";
import { type Place, placesOf, removeAt, setAt, valueAt } from "./paths.ts";
import { isFields, kindOf, OverrideFault, textOf, type Work } from "./work.ts";

/** Changes the body; true where it did something. Throws OverrideFault where the operation does not fit the body. */
export type BodyRule = (asked: Asked) => boolean;

/** Makes the rule of an operation. Throws OverrideProblem. */
type BodyCompiler = (operation: OverrideOperation, place: JsonPath) => BodyRule;

const named = (place: Place): string => place.map(({ name }) => name).join(".");

/** Does something at every place of the path, the last first, so that removing one leaves the others where they were. */
function atEach(steps: readonly PathStep[], act: (place: Place, asked: Asked) => boolean): BodyRule {
  return (asked) => {
    let isDone = false;
    for (const place of placesOf(asked.body, steps, asked.work).toReversed()) isDone = act(place, asked) || isDone;
    return isDone;
  };
}

const stepsOf = ({ path }: OverrideOperation, place: JsonPath): readonly PathStep[] =>
  readPath(path, [...place, "path"]);

const setValue: BodyCompiler = (operation, place) => {
  const { value = null, keepOrigin } = operation;
  return atEach(stepsOf(operation, place), (at, { body, work }) => {
    if (keepOrigin && valueAt(body, at).exists) return false;
    setAt(body, at, work.copy(value));
    return true;
  });
};

const removeValue: BodyCompiler = (operation, place) =>
  atEach(stepsOf(operation, place), (at, { body }) => removeAt(body, at));

const placeOf = (body: unknown, steps: readonly PathStep[], work: Work): Place => placesOf(body, steps, work)[0] ?? [];

/** A place that `*` does not name. */
function onePlace(path: string, place: JsonPath): readonly PathStep[] {
  const steps = readPath(path, place);
  if (steps.some(({ kind }) => kind === "every" || kind === "count")) throw new OverrideProblem("path_one", place);
  return steps;
}

const copyValue: BodyCompiler = ({ mode, from, to }, place) => {
  const [source, target] = [onePlace(from, [...place, "from"]), onePlace(to, [...place, "to"])];
  return ({ body, work }) => {
    const at = placeOf(body, source, work);
    const found = valueAt(body, at);
    if (!found.exists) throw new OverrideFault(`there is nothing at ${from}`);
    const value = work.copy(found.value);
    // The source goes last, as in new-api: a value moved into itself is removed with it.
    setAt(body, placeOf(body, target, work), value);
    if (mode === "move") removeAt(body, at);
    return true;
  };
};

function joinedList(list: readonly unknown[], added: unknown, isFirst: boolean): unknown[] {
  const more: readonly unknown[] = Array.isArray(added) ? added : [added];
  return isFirst ? [...more, ...list] : [...list, ...more];
}

function merged(fields: Record<string, unknown>, added: unknown, keepOrigin: boolean): Record<string, unknown> {
  if (!isFields(added)) throw new OverrideFault(`${kindOf(added)} cannot be merged into an object`);
  const taken = Object.entries(added).filter(([name]) => !keepOrigin || (fields[name] ?? null) === null);
  return { ...fields, ...Object.fromEntries(taken) };
}

const addValue: BodyCompiler = (operation, place) => {
  const { mode, value, keepOrigin } = operation;
  const isFirst = mode === "prepend";
  return atEach(stepsOf(operation, place), (at, { body, work }) => {
    const found = valueAt(body, at);
    const current = found.exists ? found.value : undefined;
    const added = work.copy(value);
    if (typeof current === "string") {
      work.grow(current.length);
      setAt(body, at, isFirst ? textOf(added) + current : current + textOf(added));
    } else if (Array.isArray(current)) setAt(body, at, joinedList(current, added, isFirst));
    else if (isFields(current)) setAt(body, at, merged(current, added, keepOrigin));
    else throw new OverrideFault(`nothing can be added to ${named(at)}, which is ${kindOf(current)}`);
    return true;
  });
};

/** Replaces the text at every place of the path. */
function changeText(steps: readonly PathStep[], change: (text: string, work: Work) => string): BodyRule {
  return atEach(steps, (at, { body, work }) => {
    const found = valueAt(body, at);
    if (!found.exists || typeof found.value !== "string")
      throw new OverrideFault(`${named(at)} is ${kindOf(found.exists ? found.value : undefined)}, not text`);
    work.read(found.value.length);
    const text = change(found.value, work);
    work.grow(Math.max(0, text.length - found.value.length));
    setAt(body, at, text);
    return true;
  });
}

/** The texts that are added and taken off, by mode. */
const AFFIXES: Readonly<Partial<Record<OverrideMode, (text: string, affix: string) => string>>> = {
  trim_prefix: (text, affix) => (text.startsWith(affix) ? text.slice(affix.length) : text),
  trim_suffix: (text, affix) => (text.endsWith(affix) ? text.slice(0, text.length - affix.length) : text),
  ensure_prefix: (text, affix) => (text.startsWith(affix) ? text : affix + text),
  ensure_suffix: (text, affix) => (text.endsWith(affix) ? text : text + affix),
};

const changeAffix: BodyCompiler = (operation, place) => {
  const change = AFFIXES[operation.mode] ?? ((text: string) => text);
  const affix = textOf(operation.value);
  if (affix === "") throw new OverrideProblem("needed", [...place, "value"]);
  return changeText(stepsOf(operation, place), (text) => change(text, affix));
};

const TEXTS: Readonly<Partial<Record<OverrideMode, (text: string) => string>>> = {
  trim_space: (text) => text.trim(),
  to_lower: (text) => text.toLowerCase(),
  to_upper: (text) => text.toUpperCase(),
};

const changeCase: BodyCompiler = (operation, place) =>
  changeText(stepsOf(operation, place), TEXTS[operation.mode] ?? ((text) => text));

const replaceText: BodyCompiler = (operation, place) => {
  const { from, to } = operation;
  return changeText(stepsOf(operation, place), (text, work) => {
    const parts = text.split(from);
    work.grow((parts.length - 1) * to.length);
    return parts.join(to);
  });
};

const replacePattern: BodyCompiler = (operation, place) => {
  const pattern = patternOf(operation.from, operation.to, [...place, "from"]);
  return changeText(stepsOf(operation, place), (text, work) => pattern.replaceIn(text, work));
};

interface Pruning {
  conditions: CompiledConditions;
  isRecursive: boolean;
}

/** The conditions of objects to remove: a `type`, or an object with `type`, `where` and `conditions`, which all have to hold unless `logic` says OR. */
function pruningOf(value: unknown, place: JsonPath): Pruning {
  const fields = typeof value === "string" ? { type: value.trim() } : value;
  if (!isFields(fields)) throw new OverrideProblem("map", place);
  const known = ["type", "where", "conditions", "logic", "recursive"];
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new OverrideProblem("unknown_name", [...place, unknown]);
  const { type, where, conditions, recursive = true } = fields;
  if (typeof recursive !== "boolean") throw new OverrideProblem("boolean", [...place, "recursive"]);
  if (where !== undefined && !isFields(where)) throw new OverrideProblem("map", [...place, "where"]);
  const all = [
    ...readConditions(conditions, [...place, "conditions"]),
    ...readConditions(where, [...place, "where"]),
    ...readConditions(type === undefined || type === "" ? undefined : { type }, place),
  ];
  if (all.length === 0) throw new OverrideProblem("needed", place);
  return { conditions: compileConditions(all, readLogic(fields, place, "AND"), place), isRecursive: recursive };
}

/** The value without the objects that the conditions hold for; itself stays. Counts what was removed. */
function pruned(value: unknown, pruning: Pruning, asked: Asked, removed: { count: number }): unknown {
  const { conditions, isRecursive } = pruning;
  const goes = (child: unknown): boolean => {
    const isGone = isFields(child) && conditions.hold({ ...asked, body: child }, true);
    if (isGone) removed.count += 1;
    return isGone;
  };
  if (Array.isArray(value))
    return value.flatMap((child: unknown) => {
      if (goes(child)) return [];
      const goesOn = isRecursive || Array.isArray(child);
      return [goesOn ? pruned(child, pruning, asked, removed) : child];
    });
  if (!isFields(value) || !isRecursive) return value;
  const kept = Object.entries(value).filter(([, child]) => !goes(child));
  return Object.fromEntries(kept.map(([name, child]) => [name, pruned(child, pruning, asked, removed)]));
}

const pruneObjects: BodyCompiler = (operation, place) => {
  const pruning = pruningOf(operation.value, [...place, "value"]);
  const removed = (value: unknown, asked: Asked): { count: number; kept: unknown } => {
    const count = { count: 0 };
    const kept = pruned(value, pruning, asked, count);
    return { ...count, kept };
  };
  if (operation.path === "")
    return (asked) => {
      const { body } = asked;
      if (!isFields(body)) return false;
      const { count, kept } = removed(body, asked);
      if (count > 0) for (const name of Object.keys(body)) if (!Object.hasOwn(kept as object, name)) delete body[name];
      if (count > 0)
        for (const [name, value] of Object.entries(kept as object)) setAt(body, [{ kind: "key", name }], value);
      return count > 0;
    };
  return atEach(stepsOf(operation, place), (at, asked) => {
    const found = valueAt(asked.body, at);
    if (!found.exists) return false;
    const { count, kept } = removed(found.value, asked);
    if (count > 0) setAt(asked.body, at, kept);
    return count > 0;
  });
};

/** By mode: what changes the body alone. */
export const BODY_COMPILERS: Readonly<Partial<Record<OverrideMode, BodyCompiler>>> = {
  set: setValue,
  delete: removeValue,
  move: copyValue,
  copy: copyValue,
  append: addValue,
  prepend: addValue,
  replace: replaceText,
  regex_replace: replacePattern,
  trim_prefix: changeAffix,
  trim_suffix: changeAffix,
  ensure_prefix: changeAffix,
  ensure_suffix: changeAffix,
  trim_space: changeCase,
  to_lower: changeCase,
  to_upper: changeCase,
  prune_objects: pruneObjects,
};
