/** Starts the server as `npm start` does, on a temporary folder and a free port, and sends the first requests of a console. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 15_000;

/** Resolves to the address the server prints. Throws with all it said when it prints none in time. */
async function printedAddress(child: ChildProcess): Promise<string> {
  let said = "";
  const address = new Promise<string>((resolve) => {
    const listen = (piece: Buffer): void => {
      said += piece.toString();
      const found = /http:\/\/[\w.[\]:]+:\d+/.exec(said);
      if (found !== null) resolve(found[0]);
    };
    child.stdout?.on("data", listen);
    child.stderr?.on("data", listen);
  });
  const ended = once(child, "exit").then(() =>
    Promise.reject(new Error(`The server ended before it listened:\n${said}`)),
  );
  const late = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error(`No address within ${START_TIMEOUT_MS} ms:\n${said}`)), START_TIMEOUT_MS).unref(),
  );
  return Promise.race([address, ended, late]);
}

async function expectAnswer(address: string, path: string, holds: (text: string) => boolean): Promise<void> {
  const answer = await fetch(new URL(path, address));
  const text = await answer.text();
  if (answer.status !== 200 || !holds(text))
    throw new Error(`GET ${path} gave ${answer.status}: ${text.slice(0, 300)}`);
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  const [code, signal] = (await ended) as [number | null, string | null];
  clearTimeout(timer);
  if (code !== 0) throw new Error(`SIGTERM ended it with ${code ?? signal}, 0 was wanted`);
}

const isSuccess = (text: string): boolean => (JSON.parse(text) as { success?: unknown }).success === true;

const folder = await mkdtemp(join(tmpdir(), "turnpike-start-"));
const startedMs = performance.now();
const child = spawn(process.execPath, ["server/dist/main.mjs"], {
  env: { ...process.env, DATA_DIR: folder, PORT: "0", HOST: "127.0.0.1", DATABASE_URL: "", REDIS_URL: "", WORKERS: "" },
  stdio: ["ignore", "pipe", "pipe"],
});
try {
  const address = await printedAddress(child);
  const listenMs = Math.round(performance.now() - startedMs);
  await expectAnswer(address, "/livez", () => true);
  await expectAnswer(address, "/readyz", () => true);
  await expectAnswer(address, "/api/status", isSuccess);
  await expectAnswer(address, "/", (text) => text.includes('<div id="root">'));
  await stop(child);
  console.log(`started in ${listenMs} ms, answered, stopped on SIGTERM with 0`);
} finally {
  if (child.exitCode === null) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
}
