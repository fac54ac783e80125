/**
 * Joins call arguments that arrive in pieces with JSON paths (docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling,
 * streaming).
 */
import { isObject, listOf, objectOf, textOf } from "../../json/fields.ts";
import type { JsonObject } from "../../neutral/neutral.ts";

type Step = string | number;

const STEP = /\.([^.[\]]+)|\[(\d{1,4})\]|\['([^']*)'\]|\["([^"]*)"\]/y;
/** Deeper or longer ones are no arguments that a tool declares. */
const [MAX_STEPS, MAX_INDEX] = [64, 1000];

/** `$.stops[0].city` as its steps; undefined where it is no such path. */
function stepsOf(path: string): Step[] | undefined {
  if (!path.startsWith("$") || path.length > 2000) return undefined;
  const steps: Step[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path);
    if (found === null || steps.length === MAX_STEPS) return undefined;
    const [, plain, index, ...quoted] = found;
    if (Number(index) > MAX_INDEX) return undefined;
    steps.push(index === undefined ? (plain ?? quoted[0] ?? quoted[1] ?? "") : Number(index));
  }
  return steps.length === 0 ? undefined : steps;
}

/** The value of a piece: one of four fields holds it. */
function valueOf(piece: JsonObject): unknown {
  for (const name of ["stringValue", "numberValue", "boolValue"]) if (piece[name] !== undefined) return piece[name];
  return "nullValue" in piece ? null : "";
}

const ownAt = (holder: object, step: Step): unknown =>
  Object.hasOwn(holder, step) ? Reflect.get(holder, step) : undefined;

/** Defined and not assigned: a model may write any name, `__proto__` too. */
const put = (holder: object, step: Step, value: unknown): void =>
  void Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true });

/** The list or object at a step, made where there is none; what stands there otherwise is replaced. */
function roomAt(holder: object, step: Step, next: Step): object {
  const found = ownAt(holder, step);
  if (typeof next === "number" ? Array.isArray(found) : isObject(found)) return found as object;
  const made = typeof next === "number" ? [] : {};
  put(holder, step, made);
  return made;
}

/** One call that is being written. */
export class PartialCall {
  readonly name: string;
  readonly id: string;
  /** Proof of the thoughts before it, as the vendor wrote it; empty where there is none. */
  signature: string;
  readonly #args: JsonObject;

  constructor(call: JsonObject, signature: string) {
    this.name = textOf(call["name"]);
    this.id = textOf(call["id"]);
    this.signature = signature;
    this.#args = { ...objectOf(call["args"]) };
  }

  /** Takes the pieces of arguments in one part: texts at one place are joined. */
  take(call: JsonObject): void {
    for (const piece of listOf(call["partialArgs"])) {
      const steps = isObject(piece) ? stepsOf(textOf(piece["jsonPath"])) : undefined;
      if (steps !== undefined) this.#set(steps, valueOf(objectOf(piece)));
    }
  }

  #set(steps: readonly Step[], value: unknown): void {
    let holder: object = this.#args;
    for (const [index, step] of steps.slice(0, -1).entries()) holder = roomAt(holder, step, steps[index + 1] ?? "");
    const last = steps.at(-1) ?? "";
    const before = ownAt(holder, last);
    put(holder, last, typeof before === "string" && typeof value === "string" ? before + value : value);
  }

  /** The whole arguments as JSON. */
  get text(): string {
    return JSON.stringify(this.#args);
  }
}

/** True for a part of a call that comes in pieces. */
export const isPartial = (call: JsonObject): boolean =>
  call["willContinue"] === true || call["partialArgs"] !== undefined;
