/** Group names from either of the two answers that have them. Pure. */

/** @param groups a list of names, or names to their descriptions */
export const groupNames = (groups: readonly string[] | Readonly<Record<string, unknown>>): string[] =>
  (Array.isArray(groups) ? [...(groups as readonly string[])] : Object.keys(groups)).toSorted();
