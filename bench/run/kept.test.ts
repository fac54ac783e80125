/** Stored results: a part that runs again replaces its own numbers alone, and another state of the code or machine starts anew. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type KeptPart, joined, keepPart, missingParts, readKept } from "./kept.ts";
import type { PartName } from "./sample.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-kept-"));
afterAll(() => rmSync(folder, { recursive: true }));

const found = (part: PartName, value: number): KeptPart => ({
  samples: [{ part, what: "time", subject: "turnpike", round: 1, value, unit: "ms" }],
  failures: [],
  books: [],
  versions: [["nginx", "1"]],
  when: `at ${value}`,
});

test("parts are gathered run by run, and one that runs again replaces its own", () => {
  const file = join(folder, "deeper", "results.json");
  expect(readKept(file, "a")).toEqual({});
  keepPart(file, "a", "relay", found("relay", 1));
  keepPart(file, "a", "memory", found("memory", 2));
  const parts = keepPart(file, "a", "relay", found("relay", 3));
  expect(readKept(file, "a")).toEqual(parts);
  expect(joined(parts).samples.map(({ part, value }) => [part, value])).toEqual([
    ["memory", 2],
    ["relay", 3],
  ]);
  expect(missingParts(parts)).toEqual(["start", "latency", "streams", "fsync", "accounts", "workers"]);
});

test("numbers of another commit or machine are not mixed in", () => {
  const file = join(folder, "other.json");
  keepPart(file, "a", "relay", found("relay", 1));
  expect(readKept(file, "b")).toEqual({});
  expect(Object.keys(keepPart(file, "b", "memory", found("memory", 2)))).toEqual(["memory"]);
});
