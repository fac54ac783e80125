/** Secrets of the environment that files hold: a variable `NAME_FILE` stands for the content of the file that it names. */
import { readFileSync, statSync } from "node:fs";

const MAX_SECRET_FILE_BYTES = 65_536;

/** The content of a secret's file without the line end that editors and `echo` add. Throws an Error of one line, without the content. */
function readSecretFile(variable: string, path: string): string {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) throw new Error(`${variable} names ${path}, which does not exist`);
  if (!file.isFile()) throw new Error(`${variable} names ${path}, which is not a file`);
  if (file.size > MAX_SECRET_FILE_BYTES)
    throw new Error(`${variable} names ${path}, which has more than ${MAX_SECRET_FILE_BYTES} bytes`);
  const text = readFileSync(path, "utf8").replace(/\r?\n$/, "");
  if (text === "") throw new Error(`${variable} names ${path}, which is empty`);
  return text;
}

/** The variables that are set, with each secret that a file holds in the place of its `_FILE`. Throws an Error of one line. */
export function withSecretFiles(
  env: Readonly<Record<string, string | undefined>>,
  secrets: ReadonlySet<string>,
): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined && value !== "") set[name] = value;
  for (const name of secrets) {
    const variable = `${name}_FILE`;
    const path = set[variable];
    if (path === undefined) continue;
    if (set[name] !== undefined) throw new Error(`${name} and ${variable} are both set: keep one of them`);
    try {
      set[name] = readSecretFile(variable, path);
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      throw new Error(`${variable} names ${path}, which cannot be read: ${String(error.code)}`, { cause: error });
    }
  }
  return set;
}
