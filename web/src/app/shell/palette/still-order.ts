/** The order of the palette's sections while they arrive: what comes late stands below what may already be pointed at. */
import { useEffect, useState } from "react";
import type { PaletteSection } from "./item.ts";

/** Counted from the last key: until then results are awaited, and may come above others. */
const AWAITED_MS = 450;

/** The section that creates what was typed; alone it gives way to whatever is found. */
const CREATE = "create";

/** Those that stand stay as they stand, and the others follow in their own order. */
function lateLast(sections: readonly PaletteSection[], standing: readonly string[]): readonly PaletteSection[] {
  if (standing.every((id) => id === CREATE)) return sections;
  const kept = standing.flatMap((id) => sections.filter((section) => section.id === id));
  return [...kept, ...sections.filter(({ id }) => !standing.includes(id))];
}

/** The sections for a typed text, in an order in which none moves down once its results were awaited long enough. */
export function useStillOrder(sections: readonly PaletteSection[], typed: string): readonly PaletteSection[] {
  const [awaited, setAwaited] = useState<string>();
  const [standing, setStanding] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setAwaited(typed), AWAITED_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const ordered = awaited === typed && standing !== "" ? lateLast(sections, standing.split(" ")) : sections;
  const ids = ordered.map(({ id }) => id).join(" ");
  if (ids !== standing) setStanding(ids);
  return ordered;
}
