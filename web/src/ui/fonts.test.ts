/** Test of the fonts: the console's own is requested with the page, and replaces another as soon as it is there. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const { resolve } = createRequire(import.meta.url);

test("no font waits for the next page", () => {
  const sheets = [...read("../app/main.tsx").matchAll(/import "(@fontsource[^"]+)"/g)].map(([, name = ""]) => name);
  expect(sheets).toHaveLength(2);
  for (const sheet of sheets) {
    const css = readFileSync(resolve(sheet), "utf8");
    const faces = css.match(/@font-face/g) ?? [];
    expect(faces.length).toBeGreaterThan(0);
    expect(css.match(/font-display: swap/g)).toHaveLength(faces.length);
  }
  expect(read("../../index.html")).toMatch(/rel="preload"\s+as="font"[\s\S]+inter-latin-wght-normal\.woff2/);
});

test("Mantine's rule for the body does not bring another font to the pages that have its styles but not its provider", () => {
  const ofMantine = readFileSync(resolve("@mantine/core/styles/baseline.css"), "utf8");
  expect(ofMantine).toMatch(/body,\s*:host\s*\{[^}]*font-family/);
  // One class more than `body` alone: it wins wherever both stand.
  expect(read("../lib/tokens.css")).toMatch(/^:root body \{[^}]*font: 14px\/20px var\(--font-sans\);/m);
});
