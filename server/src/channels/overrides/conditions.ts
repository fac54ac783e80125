/** Conditions of an operation: comparisons of values in the body, or in what is known of the call, with fixed ones. */
import { readPath } from "../../../../contract/src/channels/override-reader.ts";
import {
  type ConditionMode,
  type OverrideCondition,
  type OverrideLogic,
  type PathStep,
} from "../../../../contract/src/channels/overrides.ts";
import type { JsonPath } from "../../../../contract/src/options/json-places.ts";
import { type Found, lookUp } from "./paths.ts";
import { kindOf, numberOf, OverrideFault, textOf, type Work } from "./work.ts";

/** The values that conditions compare. */
export interface Asked {
  readonly body: unknown;
  /** Read where the body has nothing at a path. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly work: Work;
}

export interface CompiledConditions {
  /** Throws OverrideFault where two values cannot be compared, unless `isLenient`: then they differ. */
  hold(asked: Asked, isLenient?: boolean): boolean;
}

function sameValue(value: unknown, wanted: unknown): boolean {
  if (value === null || wanted === null) return value === wanted;
  const [left, right] = [kindOf(value), kindOf(wanted)];
  if (left !== right) throw new OverrideFault(`${left} cannot be compared with ${right}`);
  return left === "a number" ? numberOf(value) === numberOf(wanted) : textOf(value) === textOf(wanted);
}

const inOrder =
  (holds: (left: number, right: number) => boolean) =>
  (value: unknown, wanted: unknown): boolean => {
    const [left, right] = [numberOf(value), numberOf(wanted)];
    if (left === undefined || right === undefined)
      throw new OverrideFault(`${kindOf(value)} cannot be compared with a number`);
    return holds(left, right);
  };

const COMPARISONS: Readonly<Record<ConditionMode, (value: unknown, wanted: unknown) => boolean>> = {
  full: sameValue,
  prefix: (value, wanted) => textOf(value).startsWith(textOf(wanted)),
  suffix: (value, wanted) => textOf(value).endsWith(textOf(wanted)),
  contains: (value, wanted) => textOf(value).includes(textOf(wanted)),
  gt: inOrder((left, right) => left > right),
  gte: inOrder((left, right) => left >= right),
  lt: inOrder((left, right) => left < right),
  lte: inOrder((left, right) => left <= right),
};

/** What looking at a value costs: to make JSON of it takes longer than to search a text. */
function readCost(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, inner]) => sum + name.length + 16 + readCost(inner), 0);
}

interface Compiled extends OverrideCondition {
  steps: readonly PathStep[];
}

function holds(
  { steps, path, mode, value, invert, passMissingKey }: Compiled,
  asked: Asked,
  isLenient: boolean,
): boolean {
  const { body, facts, work } = asked;
  const inBody = lookUp(body, steps, work);
  const found: Found = inBody.exists ? inBody : lookUp(facts, steps, work);
  if (!found.exists) return passMissingKey;
  work.read(readCost(found.value));
  try {
    return COMPARISONS[mode](found.value, value) !== invert;
  } catch (error) {
    if (!(error instanceof OverrideFault)) throw error;
    if (isLenient) return invert;
    throw new OverrideFault(`the condition on ${path}: ${error.message}`, { cause: error });
  }
}

/** The conditions with their paths read. Without any they always hold. Throws OverrideProblem. */
export function compileConditions(
  conditions: readonly OverrideCondition[],
  logic: OverrideLogic,
  place: JsonPath,
): CompiledConditions {
  const compiled = conditions.map((condition, index) => ({
    ...condition,
    steps: readPath(condition.path, [...place, index, "path"]),
  }));
  return {
    hold(asked, isLenient = false) {
      if (compiled.length === 0) return true;
      // All are evaluated, so that one that cannot be compared is noticed in any case.
      const results = compiled.map((each) => holds(each, asked, isLenient));
      return logic === "AND" ? results.every(Boolean) : results.some(Boolean);
    },
  };
}
