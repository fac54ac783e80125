/** How the console's addresses carry their values: as plain text (?status=2&keyword=a), not JSON, so that a link reads as it is written. */

export const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

/** The query part with its question mark; empty values are left out. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const set = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return set.length === 0 ? "" : `?${new URLSearchParams(set).toString()}`;
}
