/** Order of versions, by the examples of Semantic Versioning 2.0.0. */
import { expect, test } from "vitest";
import { compareVersions } from "./versions.ts";

const ASCENDING = [
  "0.1.0",
  "v0.9.9",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "v1.0.0",
  "1.0.1",
  "1.10",
  "2",
  "10.0.0",
];

test("each is newer than all before it, and older than all after it", () => {
  for (const [index, version] of ASCENDING.entries())
    for (const [other, against] of ASCENDING.entries()) {
      const expected = index === other ? "same" : index > other ? "newer" : "older";
      expect([version, against, compareVersions(version, against)]).toEqual([version, against, expected]);
    }
});

test.each([
  ["v1.2.0", "1.2", "same"],
  ["1.2.3+build.7", "v1.2.3", "same"],
  ["nightly", "v1.2.3", "unknown"],
  ["release-2", "v1.2.3", "unknown"],
  ["v1.2.3", "dev", "unknown"],
  ["1.2.3.4", "1.2.3", "unknown"],
])("%s against %s: %s", (found, current, relation) => {
  expect(compareVersions(found, current)).toBe(relation);
});
