/** An earlier commit of this repository, checked out and built in the cache folder, so that its server can be measured beside this one's. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Build } from "../gateways/turnpike.ts";

const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();

/** The full name of a commit. Throws where the repository has none of that name. */
export function commitOf(reference: string): string {
  try {
    return git("rev-parse", "--verify", "--quiet", `${reference}^{commit}`);
  } catch {
    throw new Error(`'${reference}' names no commit of this repository`);
  }
}

/** The newest tag of a version that leads to this commit; undefined where there is none. */
export function newestTag(): string | undefined {
  try {
    return git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*");
  } catch {
    return undefined; // git fails where no tag matches
  }
}

/**
 * Checks the commit out below `cache`, once, with packages of its own lockfile, and packs its server, or runs its sources where it is from
 * before the packer. Takes a minute the first time.
 */
export async function builtAt(commit: string, cache: string): Promise<Build> {
  const tree = join(cache, commit.slice(0, 12));
  mkdirSync(cache, { recursive: true });
  if (!existsSync(join(tree, ".git"))) git("clone", "--quiet", "--no-checkout", "--shared", ".", tree);
  git("-C", tree, "checkout", "--quiet", "--detach", commit);
  const prepare = 'import { prepare } from "./tools/setup/prepare.mjs"; prepare({ web: false, server: true });';
  execFileSync(process.execPath, ["--input-type=module", "--eval", prepare], { cwd: tree, stdio: "inherit" });
  const runtime: unknown = await import(pathToFileURL(join(tree, "tools/setup/runtime.mjs")).href);
  const { SERVER_FLAGS } = runtime as { SERVER_FLAGS: readonly string[] };
  const packed = join(tree, "server/dist/main.mjs");
  const main = existsSync(packed) ? packed : join(tree, "server/src/main.ts");
  return { name: commit.slice(0, 8), main, flags: SERVER_FLAGS };
}
