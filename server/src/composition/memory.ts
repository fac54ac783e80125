/** Reduces memory use: V8 flags and the compile cache before any large module is loaded, and one full garbage collection after startup. */
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Where the launcher (tools/setup/runtime.mjs) keeps compiled code too; NODE_COMPILE_CACHE names another folder. */
const COMPILED = fileURLToPath(new URL("../../../node_modules/.cache/compiled", import.meta.url));

/** V8's compilers behind its interpreter. */
const COMPILERS = ["sparkplug", "maglev", "turbofan"] as const;

/**
 * Milliseconds without much to do before V8 frees what is left of a load. By itself it does that after 8 s, and then drops the hidden classes of
 * calls, of which none is under way, and all compiled code that relies on them: 300 functions, which the next calls compile anew at half as
 * much again a call. A pause between two bursts is no reason for that.
 */
const QUIET_MS = 300_000;

/** The garbage collector's function, as node's own --expose-gc provides it. */
type Collect = (options: { type: "major"; flavor: "last-resort" }) => void;

/**
 * Uses the compiled code of the last run, which keeps the type stripper out of the database threads (15 MB each), keeps the young
 * generation from growing on the garbage of the start, and spares each of those threads its own copy of V8's built-in code (2 MB).
 * The start is interpreted: what it runs often never runs again, and the compilers alone are 6 MB of the program that need not be read.
 */
export function limitStartupMemory(): void {
  // A folder that cannot be written costs only time and memory: the result is ignored.
  nodeModule.enableCompileCache(COMPILED);
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--no-short-builtin-calls");
  for (const compiler of COMPILERS) setFlagsFromString(`--no-${compiler}`);
}

/**
 * Lets V8 compile, and frees memory that only the startup needed: 16 MB of 195, measured, once for 30 ms. V8 itself would free it only
 * with the next full collection, which an idle server may not run for hours. Compiled code is written now, in case the process is killed
 * later.
 */
export function releaseStartupMemory(): void {
  for (const compiler of COMPILERS) setFlagsFromString(`--${compiler}`);
  setFlagsFromString("--semi-space-growth-factor=2");
  setFlagsFromString(`--memory-reducer-delay-ms=${QUIET_MS}`);
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as Collect; // the flag has just put it there
  collect({ type: "major", flavor: "last-resort" });
  nodeModule.flushCompileCache();
}
