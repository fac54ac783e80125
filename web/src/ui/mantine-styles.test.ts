/** Every Mantine component that the console imports, and every one that those stand on, has its style sheet loaded; no other has. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const MANTINE = join(ROOT, "node_modules/@mantine/core");
/** What belongs to no component. */
const COMMON = ["baseline", "default-css-variables", "global"];

const read = (path: string): string => readFileSync(path, "utf8");

/** Names that the console imports from Mantine, types apart. */
function importedNames(): string[] {
  const files = globSync("web/src/**/*.{ts,tsx}", { cwd: ROOT });
  const lists = files.flatMap((file) => [
    ...read(join(ROOT, file)).matchAll(/import (?!type)\{([^}]*)\} from "@mantine\/core"/g),
  ]);
  const names = lists.flatMap(([, list = ""]) => list.split(",").map((name) => name.trim()));
  return [...new Set(names.filter((name) => /^[A-Z]\w*$/.test(name)))];
}

/** The file of each name that Mantine's index gives. */
function exportedFiles(): Map<string, string> {
  const folder = join(MANTINE, "esm");
  const rows = [...read(join(folder, "index.mjs")).matchAll(/import \{([^}]*)\} from "(\.[^"]+)"/g)];
  return new Map(
    rows.flatMap(([, list = "", path = ""]) =>
      list.split(",").map((name): [string, string] => [name.trim().split(" as ").at(-1) ?? "", join(folder, path)]),
    ),
  );
}

/** The files that these lead to by their imports, themselves included. */
function reachedFrom(files: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const waiting = [...files];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file) || !existsSync(file)) continue;
    reached.add(file);
    const folder = dirname(file);
    waiting.push(...[...read(file).matchAll(/from "(\.[^"]+)"/g)].map(([, path = ""]) => join(folder, path)));
  }
  return reached;
}

/** Components among the files that have a style sheet of their own. */
const styledComponents = (files: Iterable<string>): string[] =>
  [...files].flatMap((file) => {
    const name = /[\\/](\w+)\.module\.mjs$/.exec(file)?.[1];
    return name !== undefined && existsSync(join(MANTINE, "styles", `${name}.css`)) ? [name] : [];
  });

test("the style sheets are those of the components in use", () => {
  const files = exportedFiles();
  const used = importedNames().flatMap((name) => files.get(name) ?? []);
  expect(used.length).toBeGreaterThan(10);
  const needed = styledComponents(reachedFrom(used));
  const loaded = [...read(join(ROOT, "web/src/ui/mantine-styles.ts")).matchAll(/styles\/([\w-]+)\.css/g)].map(
    ([, name = ""]) => name,
  );
  expect(loaded.toSorted()).toEqual([...new Set([...COMMON, ...needed])].toSorted());
});
