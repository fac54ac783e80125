/** The repository as the architecture rules see it: a list of files with their text, read from disk or planted by a test. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Root of the repository. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface SourceFile {
  /** From the root, with forward slashes. */
  path: string;
  text: string;
}

/** A rule that is broken: where, and what to do about it. */
export interface Breach {
  path: string;
  rule: string;
  message: string;
}

const TEXT =
  /\.(?:ts|tsx|mjs|json|css|md|yml|yaml|html|svg|sh)$|(?:^|\/)(?:run|Dockerfile|LICENSE|\.npmrc|\.gitignore)$/;

/** Every text file git would commit: tracked ones and new ones that are not ignored. */
export function readTree(): SourceFile[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const paths = [...new Set(listed.split("\0"))].filter((path) => TEXT.test(path));
  return paths.flatMap((path) => {
    try {
      return [{ path, text: readFileSync(`${ROOT}${path}`, "utf8") }];
    } catch {
      return []; // listed by git, deleted in the work tree
    }
  });
}

export const isCode = (path: string): boolean => /\.(?:ts|tsx|mjs)$/.test(path);

/** What tests beside the code share: `testing.ts` or `testing-<what>.ts`. Production code may not import it. */
export const isTestSupport = (path: string): boolean => /(?:^|\/)testing(?:-[^/]+)?\.ts$/.test(path);

export const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || isTestSupport(path);

/** Breaches as the lines a failing test prints. */
export const printed = (breaches: readonly Breach[]): string[] =>
  breaches.map((breach) => `${breach.path}: ${breach.message} [${breach.rule}]`);
