/**
 * Leaves parts of Mantine's components out of the console's scripts that no page uses: each component carries all its parts as properties, which no
 * bundler can drop. Used by vite.config.ts.
 */
import type { Plugin } from "vite";

/** Properties of each component that the console does not use. */
const UNUSED: Readonly<Record<string, readonly string[]>> = {
  Menu: ["Search", "Sub", "CheckboxItem", "CheckboxGroup", "RadioItem", "RadioGroup", "ContextMenu"],
  Popover: ["ContextMenu"],
  Tooltip: ["Floating"],
  Checkbox: ["Indicator", "Group", "Card"],
  Button: ["Group", "GroupSection"],
  ActionIcon: ["Group", "GroupSection"],
};

const PARTS = Object.entries(UNUSED).flatMap(([component, parts]) => parts.map((part) => `${component}${part}`));
/** The module of such a part. */
const PART = new RegExp(`@mantine/core/esm/components/\\w+/(?:\\w+/)?(${PARTS.join("|")})\\.mjs$`);
/** A use of such a part in code of ours. */
const USE = new RegExp(
  Object.entries(UNUSED)
    .map(([component, parts]) => `\\b${component}\\.(?:${parts.join("|")})\\b`)
    .join("|"),
);
const OWN = /\/web\/src\/.*\.tsx$/;

/** Fails the build where a page uses a part that is left out. */
export const withoutUnusedParts = (): Plugin => ({
  name: "without-unused-parts",
  apply: "build",
  enforce: "pre",
  load(id) {
    const part = PART.exec(id.replaceAll("\\", "/"))?.[1];
    if (part === undefined) return null;
    // What reads a part's context finds that it is in none.
    return [
      'import { createContext } from "react";',
      `export const ${part} = undefined;`,
      `export const ${part}Context = /* @__PURE__ */ createContext(null);`,
    ].join("\n");
  },
  transform(code, id) {
    const used = OWN.test(id.replaceAll("\\", "/")) ? USE.exec(code)?.[0] : undefined;
    if (used !== undefined)
      this.error(`${used} is left out of the scripts by web/build/unused-parts.ts: take it off its list.`);
    return null;
  },
});
