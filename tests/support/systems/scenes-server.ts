/** Builds the scenes of web/scenes once for a run and serves them; vitest calls it before the tests of tests/parts. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, preview } from "vite";
import type { TestProject } from "vitest/node";
import { IS_SHORT } from "../soak/short-or-long.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the scenes are served, without a slash at the end. */
    scenesUrl: string;
  }
}

const WEB = fileURLToPath(new URL("../../../web/", import.meta.url));

/**
 * React's development build says what is wrong with an element, and takes half of a scene's time with that: the short form has the one that
 * users have. Vite chooses by the environment of its own process, in which vitest has set it.
 */
async function inReactsBuild<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = process.env["NODE_ENV"];
  process.env["NODE_ENV"] = IS_SHORT ? "production" : "development";
  try {
    return await work();
  } finally {
    process.env["NODE_ENV"] = before;
  }
}

/** Builds, serves, and provides the address to the tests. Returns a function that ends it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const outDir = await mkdtemp(join(tmpdir(), "turnpike-scenes-"));
  const settings = {
    configFile: join(WEB, "vite.config.ts"),
    root: join(WEB, "scenes"),
    publicDir: join(WEB, "public"),
    logLevel: "error" as const,
    css: { postcss: WEB },
  };
  await inReactsBuild(() => build({ ...settings, build: { outDir, minify: false, reportCompressedSize: false } }));
  const server = await preview({ ...settings, build: { outDir }, preview: { port: 0, host: "127.0.0.1", proxy: {} } });
  const address = server.httpServer.address();
  if (address === null || typeof address === "string") throw new Error("The scenes are served at no port");
  project.provide("scenesUrl", `http://127.0.0.1:${address.port}`);
  return async () => {
    // A browser that is going away may still hold its connections.
    if ("closeAllConnections" in server.httpServer) server.httpServer.closeAllConnections();
    await server.close();
    await rm(outDir, { recursive: true, force: true });
  };
}
