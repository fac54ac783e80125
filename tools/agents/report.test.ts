/** Tests of the table of agents' runs: a run takes the place of that agent's last one, and nothing else of the document changes. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { isNoWorse, type Outcome } from "./compare.ts";
import { FAULT_HEAD, UPSTREAMS, withFaults, withRun } from "./report.ts";

const DOCUMENT = `# Clients

| ran as | package | date |
| --- | --- | --- |
| Codex | \`a@1\` | 2026-01-01 | 1 of 5 |
| Gemini CLI | \`b@1\` | 2026-01-01 | 5 of 5 |

## Libraries
`;

it("puts a run in place of the agent's last one, or after the others", () => {
  const run = { name: "Codex", package: "a@2", held: ["5 of 5"] };
  const again = withRun(DOCUMENT, run, "2026-02-02");
  expect(again).toBe(
    DOCUMENT.replace(/\| Codex.*\n/, "").replace("5 of 5 |\n", "5 of 5 |\n| Codex | `a@2` | 2026-02-02 | 5 of 5 |\n"),
  );
  expect(withRun(DOCUMENT, { ...run, name: "Other" }, "2026-02-02").match(/^\| Codex /gm)).toHaveLength(1);
  expect(() => withRun("# Clients\n", run, "2026-02-02")).toThrow("no table");
});

it("finds its table in the document, with a column for each format of upstreams", () => {
  const document = readFileSync(new URL("../../docs/clients.md", import.meta.url), "utf8");
  expect(withRun(document, { name: "None", package: "p", held: [] }, "d")).toContain("| None | `p` | d |");
  const head = /^\| ran as .*$/m.exec(document)?.[0] ?? "";
  for (const [format] of UPSTREAMS) expect(head).toContain(` ${format} `);
  const cells = /^\| asked by .*$/m.exec(document)?.[0].split("|") ?? [];
  expect(cells.map((cell) => cell.trim()).filter((cell) => cell !== "")).toEqual(FAULT_HEAD);
});

const outcome = (calls: number, hasRecovered = true, waitMs = 0): Outcome => ({
  calls,
  hasRecovered,
  waitMs,
  text: "",
});

it("names the upstreams with which an agent does something else after a fault", () => {
  const document = "| asked by | x | y |\n| --- | --- | --- |\n\n";
  const here = [
    [outcome(3), outcome(1, false)],
    [outcome(2), outcome(1, false)],
    [outcome(3), outcome(1)],
  ];
  expect(withFaults(document, "Codex", [outcome(3), outcome(1, false)], here)).toContain(
    "| Codex | 3 calls; messages: 2 calls | 1 call, gives up; gemini: 1 call |",
  );
});

it("is worse to ask more often, to give up, or not to wait where the agent waits at its vendor", () => {
  expect(isNoWorse(outcome(3, true, 2000), outcome(3, true, 2100), 2000)).toBe(true);
  expect(isNoWorse(outcome(4, true, 2000), outcome(3, true, 2100), 2000)).toBe(false);
  expect(isNoWorse(outcome(2, true, 2000), outcome(1, false), 2000)).toBe(true);
  expect(isNoWorse(outcome(2, false, 2000), outcome(1, false), 2000)).toBe(false);
  expect(isNoWorse(outcome(3, false, 2000), outcome(3, true, 2100), 2000)).toBe(false);
  expect(isNoWorse(outcome(3, true, 500), outcome(3, true, 2100), 2000)).toBe(false);
  expect(isNoWorse(outcome(3, true, 200), outcome(3, true, 300), 2000)).toBe(true);
});
