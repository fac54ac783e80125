/** Portkey's gateway, the peer of the benchmark: fetched from npm into a cache folder, never a dependency of this project. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { freePort, processIdOf, startProgram, stopProcess, waitForPort } from "../machine/children.ts";
import type { Gateway } from "./gateway.ts";

const PACKAGE = "@portkey-ai/gateway";
const VERSION = "1.15.2";

/** Installs the pinned version into the cache folder if it is not there, and starts it. Throws when it does not listen. */
export async function startPortkey(upstreamPort: number): Promise<Gateway> {
  const port = await freePort();
  const child = startProgram(process.execPath, [installed(), `--port=${port}`, "--headless"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_ENV: "production", TRUSTED_CUSTOM_HOSTS: "127.0.0.1,localhost" },
  });
  await waitForPort(port, child, 20_000);
  return {
    name: "portkey",
    version: `${PACKAGE} ${VERSION}`,
    port,
    headers: {
      authorization: "Bearer sk-benchmark",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `http://127.0.0.1:${upstreamPort}/v1`,
    },
    processId: processIdOf(child),
    stop: () => stopProcess(child),
  };
}

/** Path of the package's start file, after installing it where needed (XDG_CACHE_HOME or ~/.cache). */
function installed(): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "turnpike-bench", `portkey-${VERSION}`);
  const start = join(folder, "node_modules", PACKAGE, "build", "start-server.js");
  if (existsSync(start)) return start;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  execFileSync("npm", ["install", ...flags, `${PACKAGE}@${VERSION}`], { cwd: folder, stdio: "inherit" });
  return start;
}
