/** Reads the vendors' documented examples: `tests/fixtures/providers/<slug>/`. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const PROVIDER_FIXTURES = fileURLToPath(new URL("../../fixtures/providers/", import.meta.url));

/** The text of one fixture of a vendor. Throws where there is none. */
export const providerFixture = (slug: string, name: string): string =>
  readFileSync(`${PROVIDER_FIXTURES}${slug}/${name}`, "utf8");
