/**
 * Runs one TypeScript tool on the pinned Node: `node tools/run.mjs [--web] [--server] [--development] tools/seed.ts ...`. Before that
 * `--web` builds the console, `--server` packs the server, and `--development` installs the development packages.
 */
import { prepare } from "./setup/prepare.mjs";
import { runOnPinnedNode } from "./setup/runtime.mjs";

const words = process.argv.slice(2);
const fileAt = words.findIndex((word) => !word.startsWith("--"));
const flags = words.slice(0, fileAt);
const [file, ...args] = words.slice(fileAt);

prepare({
  web: flags.includes("--web"),
  server: flags.includes("--server"),
  withDevelopment: flags.includes("--development"),
});
process.exitCode = await runOnPinnedNode(file, args);
