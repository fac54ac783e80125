/** Tests of finding the engines and the browser: a slow browser hides no engine, and a missing one says why. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { detectCapabilities } from "./capabilities.ts";

/** A "browser" that takes its time before it says its version. */
async function slowBrowser(seconds: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-browser-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "chromium");
  await writeFile(path, `#!/bin/sh\nsleep ${seconds}\necho "Chromium 1.0"\n`);
  await chmod(path, 0o755);
  return path;
}

/** The address of a port that nothing listens on. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `127.0.0.1:${address.port}`;
}

test("timers go on while the browser is slow, so that no engine's time limit passes unheard", async () => {
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 50);
  onTestFinished(() => clearInterval(timer));
  const found = await detectCapabilities({ ...process.env, TEST_CHROMIUM: await slowBrowser(1) });
  expect(found.find(({ name }) => name === "chromium")?.version).toBe("Chromium 1.0");
  expect(ticks).toBeGreaterThan(5);
});

test("an engine that refuses is missing, and its reason is kept", async () => {
  const nowhere = await closedPort();
  const found = await detectCapabilities({
    ...process.env,
    TEST_POSTGRES_URL: `postgres://postgres@${nowhere}/postgres`,
  });
  expect(found.find(({ name }) => name === "postgres")).toMatchObject({
    version: undefined,
    reason: expect.stringContaining("ECONNREFUSED"),
  });
});
