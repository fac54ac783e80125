/**
 * Configuration of rolldown, which packs the server's 1,300 files into a few of server/dist: each module of Node costs memory and time of
 * its own. The packages that every start uses are packed with it; all others are loaded from node_modules as before. Names stay as they
 * are written, for the traces of errors.
 */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Modules of ECMAScript alone: what is written for `require` does not always survive. */
const PACKED = ["@hono/node-server", "@smithy/core", "aws4fetch", "bcryptjs", "hono", "jose", "kysely", "re2js", "zod"];

/** True for the name of a package that is not packed, and for modules of Node. */
const isExternal = (id) =>
  !/^[./]/.test(id) && !/^[A-Za-z]:/.test(id) && !PACKED.some((name) => id === name || id.startsWith(`${name}/`));

/** What a process or a thread begins with, by its name in server/dist. */
const ENTRIES = {
  main: "server/src/main.ts",
  "command-line": "server/src/command-line/main.ts",
  "sqlite-worker": "server/src/db/engines/sqlite-worker.ts",
  "sqlite-settle": "server/src/billing/engines/sqlite-settle.ts",
  "audio-length-worker": "server/src/relay/request/audio-length-worker.ts",
  "backup-thread": "server/src/archive/backup-thread.ts",
  "dry-run-thread": "server/src/console/prices/dry-run/thread.ts",
  "doctor-thread": "server/src/command-line/doctor/thread.ts",
};

const fromRoot = (path) => relative(ROOT, path).replaceAll("\\", "/");

/** The packed form of a source that a thread runs. Throws where it is no entry: the thread would load the sources. */
function packedThread(source) {
  const [name] = Object.entries(ENTRIES).find(([, path]) => path === source) ?? [];
  if (name === undefined)
    throw new Error(`tools/setup/pack-server.mjs has no entry for ${source}, which a thread runs`);
  return `new URL("./${name}.mjs", import.meta.url)`;
}

/** Threads run their packed form; other files are read where they are: seen from server/dist, two folders up and down again. */
const keepPlaces = {
  name: "keep-places",
  transform(code, id) {
    if (!id.startsWith(join(ROOT, "server")) || !code.includes("import.meta.url")) return null;
    const place = `new URL(${JSON.stringify(`../../${fromRoot(id)}`)}, import.meta.url).href`;
    const placed = (_text, thread) =>
      thread === undefined ? place : packedThread(fromRoot(join(dirname(id), thread)));
    const pattern = /new URL\("(\.[^"]+\.ts)", import\.meta\.url\)|import\.meta\.url/g;
    return { code: code.replaceAll(pattern, placed), map: null };
  },
};

const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** One character outside Latin-1 makes V8 keep a whole file in two bytes a character. */
const writeAscii = {
  name: "write-ascii",
  generateBundle(_options, files) {
    for (const file of Object.values(files))
      if (file.type === "chunk") file.code = file.code.replace(/[^\0-\x7f]/g, escaped);
  },
};

const OUTPUT = join(ROOT, "server", "dist");
/** A server that still runs loads parts of the pack that it was started from; after a day it has been restarted. */
const KEPT_MS = 24 * 3_600_000;

/** Deletes what earlier packs left. */
const forgetOlder = {
  name: "forget-older",
  writeBundle() {
    const paths = existsSync(OUTPUT) ? readdirSync(OUTPUT).map((name) => join(OUTPUT, name)) : [];
    for (const path of paths) if (statSync(path).mtimeMs < Date.now() - KEPT_MS) rmSync(path);
  },
};

export default {
  cwd: ROOT,
  input: ENTRIES,
  platform: "node",
  external: isExternal,
  plugins: [keepPlaces, writeAscii, forgetOlder],
  output: {
    dir: OUTPUT,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    comments: false,
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  },
};
