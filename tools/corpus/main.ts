/**
 * `npm run corpus -- <folder> [...]`: replays the answers that others recorded of vendors through the relay for clients of all four
 * dialects, and prints what did not come through whole. `--cuts=<n>` cuts each stream at so many events (0 for none, `all` for every one),
 * `--only=<text>` takes recordings whose name or vendor has it, `--write=<file>` writes the page of docs/corpus.md, `--json=<file>` every
 * difference. Exits 1 where less is whole than `--least=<percent>` says.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { cassetteRecordings } from "./cassettes.ts";
import { fixtureRecordings, goldenRecordings } from "./fixtures.ts";
import type { Recording } from "./recording.ts";
import { heardOf, isError } from "./readers.ts";
import { replay } from "./replay.ts";
import { differencesText, pageOf, summaryText, tally } from "./report.ts";
import { openScene } from "./scene.ts";

const LANES = 6;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cuts: { type: "string", default: "4" },
    only: { type: "string", default: "" },
    write: { type: "string" },
    json: { type: "string" },
    least: { type: "string", default: "99.5" },
  },
});
if (positionals.length === 0) {
  console.error(
    "npm run corpus -- <folder> [...] [--cuts=4] [--only=text] [--write=docs/corpus.md] [--json=file] [--least=99.5]",
  );
  process.exit(2);
}

/** The corpus that a file of a cassette belongs to: its folder under the one that was named. */
const sourceOf = (file: string): string => (file.includes("openllmetry") ? "openllmetry" : "pydantic-ai");

function recordingsIn(folder: string): Recording[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  return files.flatMap((file) => {
    const name = relative(folder, file);
    if (file.includes("__fixtures__")) return fixtureRecordings(file, name);
    if (file.includes("tests/response/")) return goldenRecordings(file, name);
    return file.endsWith(".yaml") ? cassetteRecordings(file, sourceOf(file), name) : [];
  });
}

const cuts = values.cuts === "all" ? Number.MAX_SAFE_INTEGER : Number(values.cuts);
const recordings = positionals
  .flatMap(recordingsIn)
  .filter(({ name, vendor }) => `${vendor} ${name}`.includes(values.only));
const judged = recordings.filter((recording) => isError(recording) || heardOf(recording) !== undefined);
if (judged.length === 0) {
  console.error("no recorded chat was found there");
  process.exit(2);
}
console.log(`${recordings.length} recorded answers, ${recordings.length - judged.length} left out`);
// Anthropic's library warns of every model that will end.
console.warn = () => undefined;
const scene = await openScene(LANES);
const outcomes = await replay(scene, judged, cuts, (done) => {
  if (done % 500 === 0) console.log(`${done} of ${judged.length}`);
});
await scene.close();
const result = tally(outcomes, recordings.length - judged.length);
console.log(summaryText(result));
console.log(differencesText(result, 60));
if (values.write !== undefined) writeFileSync(values.write, pageOf(result));
if (values.json !== undefined)
  writeFileSync(
    values.json,
    JSON.stringify(
      result.differing.map(({ recording: { body: _body, ...recording }, ...rest }) => ({ recording, ...rest })),
      undefined,
      1,
    ),
  );
process.exit(result.wholeShare * 100 >= Number(values.least) ? 0 : 1);
