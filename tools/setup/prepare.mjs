/** The phases before anything runs, each with its time on one line: packages, then the builds that are needed. */
import { build, isBuilt } from "./builds.mjs";
import { installPackages, removeBuilders } from "./install.mjs";

function phase(name, work, stream) {
  const startedMs = performance.now();
  const outcome = work();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(2);
  stream.write(`${name.padEnd(10)} ${outcome.padEnd(12)} ${seconds.padStart(6)} s\n`);
}

/**
 * Prepares the checkout: `web` builds the console, `server` packs the server, `withDevelopment` installs what tests and most tools need.
 * `prune` removes what only the builds needed. Exits the process with 1 and the reason when that is not possible. The lines go to `stream`: a command whose standard output is an answer has them on standard error.
 */
export function prepare({ web, server, withDevelopment, prune = false, stream = process.stdout }) {
  try {
    const missing = ["web", "server"].filter((name) => ({ web, server })[name] && !isBuilt(name));
    const withBuilders = withDevelopment || missing.length > 0;
    phase("packages", () => installPackages({ withDevelopment, withBuilders }), stream);
    for (const name of missing) phase(name, () => build(name), stream);
    if (prune) phase("packages", removeBuilders, stream);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
