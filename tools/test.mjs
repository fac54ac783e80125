/** `npm test [-- <path>]`: sets everything up, says which engines are here, and runs vitest, whose last line is the count. */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { makeMemoryFolder } from "./setup/memory-folder.mjs";
import { prepare } from "./setup/prepare.mjs";
import { nodeBinary, ROOT, runtimeEnvironment, runToEnd } from "./setup/runtime.mjs";

/** Environment variable with the names of what is missing here, between commas; closing-reporter.mjs reads it. */
const MISSING = "TURNPIKE_TEST_MISSING";

/** What is here of the engines and the browser; an absent one has no version. */
function detect() {
  const found = execFileSync(nodeBinary(), ["tools/setup/capabilities.ts"], {
    cwd: ROOT,
    encoding: "utf8",
    env: runtimeEnvironment(),
  });
  return JSON.parse(found);
}

function printCapabilities(capabilities) {
  for (const { name, version, reason, skipped } of capabilities) {
    process.stdout.write(
      version === undefined ? `skipped: no ${name} here, so not ${skipped} (${reason})\n` : `${name}: ${version}\n`,
    );
  }
}

async function runVitest(capabilities, missing) {
  const folder = makeMemoryFolder();
  const present = capabilities.filter(({ version }) => version !== undefined);
  const environment = runtimeEnvironment({
    ...Object.assign({}, ...present.map((capability) => capability.environment)),
    [MISSING]: missing.join(","),
    ...(folder === undefined ? {} : { TMPDIR: folder }),
    PATH: [join(ROOT, "node_modules", ".bin"), process.env.PATH].join(delimiter),
  });
  const vitest = join("node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--reporter=./tools/setup/closing-reporter.mjs", ...process.argv.slice(2)];
  try {
    return await runToEnd(nodeBinary(), args, { env: environment });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

prepare({ web: true, withDevelopment: true });
const capabilities = detect();
printCapabilities(capabilities);
const missing = capabilities.filter(({ version }) => version === undefined).map(({ name }) => name);
if (process.env.REQUIRE_ALL === "1" && missing.length > 0) {
  process.stdout.write(`REQUIRE_ALL=1, but missing here: ${missing.join(", ")}\n0 passed, ${missing.length} failed\n`);
  process.exitCode = 1;
} else process.exitCode = await runVitest(capabilities, missing);
