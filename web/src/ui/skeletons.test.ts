/** Test of loading placeholders: their colour is visible on the sheet, in the dark theme too. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const WEB = new URL("../", import.meta.url).pathname;
const NAMES = /\.(?:ghost|skeleton|loading|waiting)\b|\[data-is-loading\]/;
/** In the dark theme it is the sheet's own colour. */
const UNSEEN = "background: var(--sunken)";

/** The rules of a style sheet, each with its selector; those within a media query too. */
const rulesOf = (css: string): string[] => css.match(/[^{}]+\{[^{}]*\}/g) ?? [];

test("no ghost has the colour of the sheet", () => {
  const files = globSync("**/*.module.css", { cwd: WEB });
  expect(files.length).toBeGreaterThan(50);
  const unseen = files.flatMap((file) =>
    rulesOf(readFileSync(`${WEB}${file}`, "utf8"))
      .filter((rule) => (NAMES.test(rule) || file.endsWith("/loading.module.css")) && rule.includes(UNSEEN))
      .map((rule) => `${file}: ${rule.split("{")[0]?.trim()}`),
  );
  expect(unseen).toEqual([]);
});
