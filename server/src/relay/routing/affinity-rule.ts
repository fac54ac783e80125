/** Applies the operator's affinity rules to a call: the first rule that matches, and the value by which it finds its channel again. */
import type { AffinityKeySource, AffinityRule } from "../../../../contract/src/channels/affinity-rules.ts";
import { linearPattern } from "../../../../contract/src/linear-pattern.ts";
import { parseObject } from "../../dialects/json/fields.ts";
import { isObject } from "../../util/json-read.ts";
import { type Accepted, requestField } from "../request/accepted.ts";

type Test = (text: string) => boolean;

interface CompiledRule {
  rule: AffinityRule;
  models: readonly Test[];
  paths: readonly Test[];
  value: Test | undefined;
}

interface CompiledRules {
  all: readonly CompiledRule[];
  /** Those whose patterns fit, by model and path: nearly all calls are of a few models, and a pattern is dearer than to look it up. */
  fitting: Map<string, readonly CompiledRule[]>;
}

/** Models and paths come from callers: so many are remembered, and none that are longer. */
const MAX_REMEMBERED = 1_024;
const REMEMBERED_CHARACTERS = 256;

/** Options are another object after each change, and their rules another list. */
const compiled = new WeakMap<readonly AffinityRule[], CompiledRules>();

function compiledRules(rules: readonly AffinityRule[]): CompiledRules {
  let known = compiled.get(rules);
  if (known === undefined) {
    const all = rules.map((rule) => ({
      rule,
      models: (rule.model_regex ?? []).map((text) => linearPattern(text)),
      paths: (rule.path_regex ?? []).map((text) => linearPattern(text)),
      value: rule.value_regex === undefined || rule.value_regex === "" ? undefined : linearPattern(rule.value_regex),
    }));
    known = { all, fitting: new Map() };
    compiled.set(rules, known);
  }
  return known;
}

/** The caller, and the client's headers. */
export interface AffinityCaller {
  userId: number;
  tokenId: number;
  header(name: string): string;
}

/** Longer values name nothing: they are contents. */
const VALUE_MAX = 4_096;

/** The value at a path of names and places; undefined where it leads nowhere. */
function valueAt(value: unknown, names: readonly string[]): unknown {
  let at = value;
  for (const name of names) {
    if (Array.isArray(at)) at = at[Number(name)];
    else if (isObject(at) && Object.hasOwn(at, name)) at = (at as Readonly<Record<string, unknown>>)[name];
    else return undefined;
  }
  return at;
}

function ofBody(accepted: Accepted, { path, nested_path }: Extract<AffinityKeySource, { type: "gjson" }>): unknown {
  const [field = "", ...names] = path.split(".");
  const found = valueAt(requestField(accepted, field), names);
  if (nested_path === undefined) return found;
  return typeof found === "string" ? valueAt(parseObject(found), nested_path.split(".")) : undefined;
}

function sourceValue(accepted: Accepted, caller: AffinityCaller, source: AffinityKeySource): unknown {
  if (source.type === "request_header") return caller.header(source.key.toLowerCase());
  if (source.type === "gjson") return ofBody(accepted, source);
  return source.key === "token_id" ? caller.tokenId : caller.userId;
}

function keyOf(accepted: Accepted, caller: AffinityCaller, { rule, value: isValue }: CompiledRule): string | undefined {
  for (const source of rule.key_sources) {
    const value = sourceValue(accepted, caller, source);
    const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
    if (text !== "" && text.length <= VALUE_MAX && isValue?.(text) !== false) return text;
  }
  return undefined;
}

const isOneOf = (tests: readonly Test[], text: string): boolean =>
  tests.length === 0 || tests.some((test) => test(text));

/** The rules whose patterns fit the call's model and path. */
function fittingRules({ model, path }: Accepted, rules: readonly AffinityRule[]): readonly CompiledRule[] {
  const { all, fitting } = compiledRules(rules);
  const key = `${model}\n${path}`;
  const known = fitting.get(key);
  if (known !== undefined) return known;
  const found = all.filter(({ models, paths }) => isOneOf(models, model) && isOneOf(paths, path));
  if (key.length > REMEMBERED_CHARACTERS) return found;
  if (fitting.size >= MAX_REMEMBERED) fitting.clear();
  fitting.set(key, found);
  return found;
}

/** The first rule that the call is of and that has a value for it. */
export function affinityOf(
  accepted: Accepted,
  caller: AffinityCaller,
  rules: readonly AffinityRule[],
): { rule: AffinityRule; value: string } | undefined {
  for (const each of fittingRules(accepted, rules)) {
    const agents = each.rule.user_agent_include ?? [];
    const isAsked = agents.length === 0 || agents.some((agent) => caller.header("user-agent").includes(agent));
    const value = isAsked ? keyOf(accepted, caller, each) : undefined;
    if (value !== undefined) return { rule: each.rule, value };
  }
  return undefined;
}
