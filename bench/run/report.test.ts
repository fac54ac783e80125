/** The report calls a missed target missed and compares within rounds. */
import { expect, test } from "vitest";
import { cpuPerCall } from "../parts/relay.ts";
import { targetTable, verdict } from "./report.ts";
import type { Sample } from "./sample.ts";
import { TARGETS } from "./targets.ts";

const sample = (subject: string, round: number, value: number): Sample => ({
  part: "relay",
  what: cpuPerCall(64),
  subject,
  round,
  value,
  unit: "µs",
});

/** Turnpike takes 4, 9 and 10 times what nginx takes in the same round. */
const SAMPLES = [
  ...[10, 20, 30].map((value, index) => sample("nginx", index + 1, value)),
  ...[40, 180, 300].map((value, index) => sample("turnpike", index + 1, value)),
];

test("ratios are taken within a round and their median decides", () => {
  const [target] = TARGETS;
  expect(target && verdict(target, SAMPLES)).toEqual({ values: [4, 9, 10], word: "missed" });
});

test("a missed target stays in the table as missed, an absent one as not measured", () => {
  const lines = targetTable(SAMPLES).split("\n");
  expect(lines[2]).toContain("| 9.00 x | 4.00 to 10.0 | **missed** |");
  expect(lines.filter((line) => line.includes("not measured"))).toHaveLength(TARGETS.length - 1);
});
