/** Modules that an idle server on SQLite has loaded: no library that only some installations need, and no more than a bound. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer } from "./support/systems/processes.ts";

/** Each is loaded with the first use of what needs it. */
const LATER = [
  "@simplewebauthn/server",
  "ioredis",
  "music-metadata",
  "mysql2",
  "nodemailer",
  "oauth4webapi",
  "openid-client",
  "pg",
  "stripe",
];

/** 201 files of 4.4 MB as this was written, where the sources and their packages are 1,600 of 8.3 MB. Each costs every installation memory and time of its start. */
const MOST_FILES = 205;
const MOST_BYTES = 4_400_000;

/** Writes what the main thread has loaded, as a JSON list of [address, characters], when the process ends. */
const hook = (path: string): string => `
  import { registerHooks } from "node:module";
  import { writeFileSync } from "node:fs";
  import { isMainThread } from "node:worker_threads";
  const loaded = [];
  if (isMainThread) {
    registerHooks({
      load(url, context, next) {
        const module = next(url, context);
        if (url.startsWith("file:")) loaded.push([url, module.source?.length ?? 0]);
        return module;
      },
    });
    process.on("exit", () => writeFileSync(${JSON.stringify(path)}, JSON.stringify(loaded)));
  }`;

const folder = mkdtempSync(join(tmpdir(), "turnpike-modules-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let loaded: readonly (readonly [string, number])[];

beforeAll(async () => {
  const list = join(folder, "loaded.json");
  const server = await startServer({
    DATA_DIR: join(folder, "data"),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook(list))}`,
  });
  const page = await fetch(`${server.url}/api/status`);
  expect(page.status).toBe(200);
  await server.end();
  loaded = JSON.parse(readFileSync(list, "utf8")) as typeof loaded;
}, 90_000);

test("the libraries of engines, payments, mails and sign-in are not loaded", () => {
  const inside = (name: string) => loaded.some(([url]) => url.includes(`/node_modules/${name}/`));
  expect(inside("undici"), "what every server loads is seen").toBe(true);
  expect(LATER.filter(inside)).toEqual([]);
});

test("the files loaded are few, and small together", () => {
  const bytes = loaded.reduce((sum, [, length]) => sum + length, 0);
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(loaded.length).toBeLessThanOrEqual(MOST_FILES);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});
