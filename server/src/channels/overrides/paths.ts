/** Reads, sets and removes values of a parsed JSON body by the steps of a dotted path. */
import type { PathStep } from "../../../../contract/src/channels/overrides.ts";
import { isFields, OverrideFault, type Work } from "./work.ts";

/** Names and indexes from the body to one place in it. */
export type Place = readonly PathStep[];

export type Found = { readonly exists: true; readonly value: unknown } | { readonly exists: false };

const NOTHING: Found = { exists: false };

/** A list may grow by so many blank places to reach an index behind its end. */
const MAX_GAP = 100;

/** The index of a list that a name stands for; negative ones count from the end. Undefined for what is none. */
function indexIn(list: readonly unknown[], name: string): number | undefined {
  if (!/^-?\d{1,9}$/.test(name)) return undefined;
  const index = Number(name);
  return index < 0 ? list.length + index : index;
}

function childOf(parent: unknown, { kind, name }: PathStep): Found {
  if (Array.isArray(parent)) {
    const index = kind === "key" ? -1 : (indexIn(parent, name) ?? -1);
    return index >= 0 && index < parent.length ? { exists: true, value: parent[index] } : NOTHING;
  }
  if (!isFields(parent) || !Object.hasOwn(parent, name)) return NOTHING;
  return { exists: true, value: parent[name] };
}

/** The value at a place. */
export function valueAt(body: unknown, place: Place): Found {
  let found: Found = { exists: true, value: body };
  for (const step of place) {
    if (!found.exists) return NOTHING;
    found = childOf(found.value, step);
  }
  return found;
}

/** The value that a path of a condition leads to: with `*` or `#` inside, the list of all that are found; with `#` at its end, the length. */
export function lookUp(value: unknown, steps: readonly PathStep[], work: Work, from = 0): Found {
  const step = steps[from];
  if (step === undefined) return { exists: true, value };
  const isLast = from === steps.length - 1;
  if (step.kind === "count" && isLast) return Array.isArray(value) ? { exists: true, value: value.length } : NOTHING;
  if (step.kind === "every" || step.kind === "count") {
    const members = Array.isArray(value) ? value : isFields(value) ? Object.values(value) : [];
    work.read(members.length * 8);
    const found = members.map((member: unknown) => lookUp(member, steps, work, from + 1));
    const values = found.flatMap((each) => (each.exists ? [each.value] : []));
    return values.length === 0 ? NOTHING : { exists: true, value: values };
  }
  const child = childOf(value, step);
  return child.exists ? lookUp(child.value, steps, work, from + 1) : NOTHING;
}

/** The places of a path in the body: one where it has no `*`, whether there is a value or not; else each whose parent is there. */
export function placesOf(body: unknown, steps: readonly PathStep[], work: Work): readonly Place[] {
  if (!steps.some(({ kind }) => kind === "every")) return [steps];
  let reached: { place: Place; value: Found }[] = [{ place: [], value: { exists: true, value: body } }];
  for (const step of steps) {
    reached = reached.flatMap(({ place, value }) => {
      if (!value.exists) return [];
      const parent = value.value;
      return stepsUnder(parent, step).map((each) => ({ place: [...place, each], value: childOf(parent, each) }));
    });
    work.places(reached.length);
    work.read(reached.length * 16);
  }
  return reached.map(({ place }) => place);
}

const named = (name: string): PathStep => ({ kind: "name", name });

/** The members of a container that one step stands for. */
function stepsUnder(parent: unknown, step: PathStep): Place {
  const isEvery = step.kind === "every";
  if (Array.isArray(parent)) {
    if (isEvery) return parent.map((_, index) => named(String(index)));
    const index = indexIn(parent, step.name) ?? -1;
    return childOf(parent, step).exists ? [named(String(index))] : [];
  }
  if (!isFields(parent)) return [];
  return isEvery ? Object.keys(parent).toSorted().map(named) : [step];
}

/** Sets an own property, also where its name is that of a built-in one. */
function put(parent: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(parent, name, { value, writable: true, enumerable: true, configurable: true });
}

function putInto(parent: unknown, { kind, name }: PathStep, value: unknown): void {
  if (isFields(parent)) return put(parent, name, value);
  if (!Array.isArray(parent))
    throw new OverrideFault(`"${name}" cannot be set in a value that is neither a list nor an object`);
  const isFirst = name === "-1" && parent.length === 0;
  const index = kind === "key" ? undefined : isFirst ? 0 : indexIn(parent, name);
  if (index === undefined || index < 0) throw new OverrideFault(`"${name}" is no index of a list`);
  if (index > parent.length + MAX_GAP) throw new OverrideFault(`the index ${index} is far behind the end of its list`);
  while (parent.length < index) parent.push(null);
  parent[index] = value;
}

/** A container for what comes next: a list where that is an index. */
const containerFor = (next: PathStep | undefined): unknown =>
  next?.kind === "name" && /^\d{1,3}$/.test(next.name) ? [] : {};

/** Sets a value; objects on the way that are not there are made. Throws OverrideFault. */
export function setAt(body: unknown, place: Place, value: unknown): void {
  let parent = body;
  for (const [depth, step] of place.slice(0, -1).entries()) {
    const child = childOf(parent, step);
    let inner = child.exists ? child.value : undefined;
    if (!Array.isArray(inner) && !isFields(inner)) putInto(parent, step, (inner = containerFor(place[depth + 1])));
    parent = inner;
  }
  const last = place.at(-1);
  if (last !== undefined) putInto(parent, last, value);
}

/** Removes a value; nothing where there is none. */
export function removeAt(body: unknown, place: Place): boolean {
  const parent = valueAt(body, place.slice(0, -1));
  const last = place.at(-1);
  if (!parent.exists || last === undefined || !childOf(parent.value, last).exists) return false;
  if (Array.isArray(parent.value)) parent.value.splice(indexIn(parent.value, last.name) ?? 0, 1);
  else delete (parent.value as Record<string, unknown>)[last.name];
  return true;
}
