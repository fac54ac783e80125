/**
 * `npm run dev`: server and console with reload, the fake upstream, and seeded data. The data folder is data/dev; remove it to begin anew.
 * Server changes restart the server (Node's own --watch), console changes appear at once (Vite).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { once } from "node:events";

const SERVER_PORT = process.env["PORT"] ?? "3000";
const UPSTREAM_PORT = "4010";
const DATA_DIR = process.env["DATA_DIR"] ?? "data/dev";
const environment = {
  ...process.env,
  PORT: SERVER_PORT,
  DATA_DIR,
  ALLOW_PRIVATE_UPSTREAMS: "1",
  GLOBAL_API_RATE_LIMIT_ENABLE: "false",
  GLOBAL_WEB_RATE_LIMIT_ENABLE: "false",
  TURNPIKE_SEED_UPSTREAM: `http://127.0.0.1:${UPSTREAM_PORT}`,
  TURNPIKE_SERVER: `http://127.0.0.1:${SERVER_PORT}`,
};

const start = (...args: string[]): ChildProcess =>
  spawn(process.execPath, args, { stdio: "inherit", env: environment });

if (!existsSync(DATA_DIR)) {
  const [code] = (await once(start("tools/seed.ts", "demo"), "exit")) as [number | null];
  if (code !== 0) process.exit(code ?? 1);
}

const children = [
  start("tests/fake-upstream/main.ts", UPSTREAM_PORT),
  start("--watch-path=server/src", "--watch-path=contract/src", "--watch-preserve-output", "server/src/main.ts"),
  start("node_modules/vite/bin/vite.js", "web"),
];
const stop = (): void => {
  for (const child of children) child.kill("SIGTERM");
};
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
await Promise.race(children.map((child) => once(child, "exit")));
stop();
