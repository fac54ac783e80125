/** Runs one TypeScript tool on the pinned Node: `node tools/run.mjs [--web] tools/seed.ts ...`; `--web` builds the console first. */
import { prepare } from "./setup/prepare.mjs";
import { runOnPinnedNode } from "./setup/runtime.mjs";

const [first, ...rest] = process.argv.slice(2);
const web = first === "--web";
const [file, ...args] = web ? rest : [first, ...rest];

prepare({ web });
process.exitCode = await runOnPinnedNode(file, args);
