/** Promises of the table of agents' runs: a run takes the place of that agent's last one, and nothing else of the document changes. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { UPSTREAMS, withRun } from "./report.ts";

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
});
