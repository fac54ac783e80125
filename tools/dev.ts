/**
 * `npm run dev`: server and console with reload, the fake upstream, and seeded data. The data folder is data/dev; remove it to begin anew.
 * Server changes restart the server, console changes appear at once (Vite).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, watch } from "node:fs";
import { once } from "node:events";

const SERVER_PORT = process.env["PORT"] ?? "3000";
const UPSTREAM_PORT = "4010";
const RESTART_DELAY_MS = 200;
const DATA_DIR = process.env["DATA_DIR"] ?? "data/dev";
const environment = {
  ...process.env,
  PORT: SERVER_PORT,
  DATA_DIR,
  ALLOW_PRIVATE_UPSTREAMS: "1",
  SHUTDOWN_GRACE_SECONDS: "1",
  GLOBAL_API_RATE_LIMIT_ENABLE: "false",
  TURNPIKE_SEED_UPSTREAM: `http://127.0.0.1:${UPSTREAM_PORT}`,
  TURNPIKE_SERVER: `http://127.0.0.1:${SERVER_PORT}`,
};

const start = (...args: string[]): ChildProcess =>
  spawn(process.execPath, args, { stdio: "inherit", env: environment });

if (!existsSync(DATA_DIR)) {
  const [code] = (await once(start("tools/seed.ts", "demo"), "exit")) as [number | null];
  if (code !== 0) process.exit(code ?? 1);
}

/** Runs the server anew after each change; Node's own --watch talks into our worker thread's channel and cannot be used. */
function serverWithReload(): { stop(): void } {
  let child = start("server/src/main.ts");
  let timer: NodeJS.Timeout | undefined;
  const restart = async (): Promise<void> => {
    const ended = child.exitCode === null ? once(child, "exit") : undefined;
    child.kill("SIGTERM");
    await ended;
    child = start("server/src/main.ts");
  };
  const onChange = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void restart(), RESTART_DELAY_MS);
  };
  const watchers = ["server/src", "contract/src"].map((folder) => watch(folder, { recursive: true }, onChange));
  const stop = (): void => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    child.kill("SIGTERM");
  };
  return { stop };
}

const upstream = start("tests/fake-upstream/main.ts", UPSTREAM_PORT);
const web = start("node_modules/vite/bin/vite.js", "web");
const server = serverWithReload();
await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM"), once(upstream, "exit"), once(web, "exit")]);
server.stop();
upstream.kill("SIGTERM");
web.kill("SIGTERM");
