/** What the sections of the command palette share: the types of an item and of a section, the size of icons, and the lookup of objects by name. */
import type { ReactNode } from "react";
import { type QueryKey, useQueries } from "@tanstack/react-query";

/** Maximum results of each kind, so that no kind hides the others. */
export const MAX_FOUND = 5;

interface Lookup<Row> {
  /** Key of the kind; the text is appended to it. */
  queryKey: QueryKey;
  search: (text: string, signal: AbortSignal) => Promise<readonly Row[]>;
  /** False where the viewer may not see this kind; then nothing is asked. */
  isAllowed: boolean;
}

/** The results for all texts, at most MAX_FOUND, those of the first text first. */
export function useLookups<Row extends { id: number }>(texts: readonly string[], lookup: Lookup<Row>): Row[] {
  const results = useQueries({
    queries: texts.map((text) => ({
      queryKey: [...lookup.queryKey, text],
      queryFn: ({ signal }: { signal: AbortSignal }) => lookup.search(text, signal),
      enabled: lookup.isAllowed,
    })),
  });
  const found = new Map(results.flatMap(({ data }) => data ?? []).map((row) => [row.id, row]));
  return [...found.values()].slice(0, MAX_FOUND);
}

export interface PaletteItem {
  id: string;
  name: string;
  /** Other words that it is found by. */
  words?: string;
  /** Comes only where something is typed: the list of all pages stays short. */
  isFoundOnly?: boolean;
  /** Uses the monospaced font, for model names. */
  isCode?: boolean;
  icon: ReactNode;
  detail?: ReactNode;
  side?: ReactNode;
  /** Never preselected, because it creates something and Enter might not be meant for it. */
  wantsChoice?: boolean;
  run: () => void;
}

export interface PaletteSection {
  id: string;
  title: string;
  items: PaletteItem[];
}

/** Opens an address of this console. */
export type Go = (address: string) => void;

export const glyph = { size: 16, stroke: 1.5 } as const;
