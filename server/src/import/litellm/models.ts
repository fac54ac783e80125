/** Models that a key of LiteLLM may call: lists of the key and of those above it, groups of models and wildcards, as names. */

export interface ModelNames {
  /** Public names of all deployments. */
  names: ReadonlySet<string>;
  /** Names of the deployments of each access group. */
  groups: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface ModelList {
  /** Undefined for all. */
  names: ReadonlySet<string> | undefined;
  /** Entries that name no model here. */
  dropped: readonly string[];
}

/** The key may call what its team may. */
const AS_THE_TEAM = "all-team-models";
const ALL: ReadonlySet<string> = new Set(["all-proxy-models", "*"]);
const NONE = "no-default-models";

function expanded(entry: string, { names, groups }: ModelNames): readonly string[] {
  const group = groups.get(entry);
  if (group !== undefined) return [...group];
  if (!entry.endsWith("*")) return [entry];
  return [...names].filter((name) => name.startsWith(entry.slice(0, -1)));
}

/** One list as names. An empty one is for all. */
export function readModels(list: readonly string[], known: ModelNames): ModelList {
  const entries = list.map((entry) => entry.trim()).filter((entry) => entry !== "");
  if (entries.length === 0 || entries.some((entry) => ALL.has(entry) || entry === AS_THE_TEAM))
    return { names: undefined, dropped: [] };
  const wanted = entries.filter((entry) => entry !== NONE);
  const found = wanted.map((entry) => [entry, expanded(entry, known)] as const);
  // A name with a comma would be several here.
  const names = found.flatMap(([, all]) => all).filter((name) => !name.includes(","));
  const dropped = found.filter(([entry, all]) => all.length === 0 || entry.includes(",")).map(([entry]) => entry);
  return { names: new Set(names), dropped };
}

/** The models that all lists allow. */
export function inAll(lists: readonly ModelList[]): ModelList {
  const bound = lists.flatMap(({ names }) => names ?? []);
  const dropped = lists.flatMap((list) => list.dropped);
  const [first, ...others] = bound;
  if (first === undefined) return { names: undefined, dropped };
  return { names: new Set([...first].filter((name) => others.every((names) => names.has(name)))), dropped };
}
