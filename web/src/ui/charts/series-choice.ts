/** Which series of a chart are drawn: a legend isolates one or hides one, and shows all again. Pure. */

export type Hidden = ReadonlySet<string>;

export const NONE_HIDDEN: Hidden = new Set();

const isAlone = (all: readonly string[], hidden: Hidden, id: string): boolean =>
  !hidden.has(id) && all.every((each) => each === id || hidden.has(each));

/** Isolates one series; shows all of them again where it is isolated already. */
export function isolated(all: readonly string[], hidden: Hidden, id: string): Hidden {
  if (isAlone(all, hidden, id)) return NONE_HIDDEN;
  return new Set(all.filter((each) => each !== id));
}

/** Hides a series or shows it again; shows all of them where none would remain. */
export function toggled(all: readonly string[], hidden: Hidden, id: string): Hidden {
  const next = new Set(hidden);
  if (!next.delete(id)) next.add(id);
  return all.every((each) => next.has(each)) ? NONE_HIDDEN : next;
}
