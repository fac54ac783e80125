/** The report of translated streams: its limits, and its section of the document. */
import { expect, test } from "vitest";
import type { Sample } from "../run/sample.ts";
import { MAIN_PAIR, addedTable, cpuPerEvent, firstChunk, section, translateTargets } from "./report.ts";

const sample = (what: string, subject: string, round: number, value: number): Sample => ({
  part: "translate",
  what,
  subject,
  round,
  value,
  unit: "µs",
});

/** Translated streams cost 1.5, 2.5 and 3 times what the others cost in the same round, and the first chunk comes 4 ms later. */
const SAMPLES = [
  ...[10, 20, 30].map((value, index) => sample(cpuPerEvent(MAIN_PAIR, 200), "pass-through", index + 1, value)),
  ...[15, 50, 90].map((value, index) => sample(cpuPerEvent(MAIN_PAIR, 200), "translated", index + 1, value)),
  sample(firstChunk(MAIN_PAIR, 1000, 99), "direct", 1, 3),
  sample(firstChunk(MAIN_PAIR, 1000, 99), "translated", 1, 7),
];

test("the median of the ratios of rounds is compared with the limit", () => {
  const lines = translateTargets(SAMPLES).split("\n");
  expect(lines[2]).toContain(
    "200 streams: Anthropic client, OpenAI upstream | <= 2 x | 2.50 x | 1.50 to 3.00 | **missed** |",
  );
  expect(lines.slice(3).every((line) => line.includes("not measured"))).toBe(true);
});

test("first chunks are reported as the difference to those without a gateway", () => {
  expect(addedTable(SAMPLES)).toContain("| 1000 | translated | - | 4.0 |");
});

test("failures stand in the section", () => {
  expect(section(SAMPLES, ["here"], [])).toContain("- here\n- Every stream was answered completely");
  expect(section(SAMPLES, ["here"], ["3 streams failed"])).toContain("- 3 streams failed");
});
