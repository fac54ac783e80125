/** Nothing is known of a custom upstream beyond its dialect, so nothing is changed for it. */
import type { Quirk } from "../provider.ts";

export const quirks: readonly Quirk[] = [];
