/** The highlighter of code, loaded once a block that names a language is shown; code is plain until then. */
import type { ReactNode } from "react";

export type Highlight = (code: string, language: string) => ReactNode;

let loaded: Highlight | undefined;
let isWanted = false;
const listeners = new Set<() => void>();

/** Loads it, unless somebody did. Without it code stays plain, and the next block tries again. */
export function wantHighlighter(): void {
  if (isWanted) return;
  isWanted = true;
  import("./highlight.tsx").then(
    ({ highlight }) => {
      loaded = highlight;
      for (const listener of listeners) listener();
    },
    () => void (isWanted = false),
  );
}

export const highlighter = (): Highlight | undefined => loaded;

export function watchHighlighter(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
