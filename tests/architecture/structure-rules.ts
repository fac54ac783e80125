/** Checks names, sizes, head sentences and the sameness of wire formats, providers, features and locale files. */
import { MIN_FILES, MIN_LINES, SHORT_FILES, SHORT_KINDS, SMALL_FOLDERS } from "./size-table.ts";
import {
  DIALECT_FILES,
  DIALECT_ROOMS,
  CONSOLE_ROOMS,
  EMPTY_NAMES,
  ENVIRONMENT_READERS,
  FEATURE_EXCEPTIONS,
  FEATURES,
  type FileVocabulary,
  FULL_FOLDERS,
  IMPURE,
  MAX_FILES,
  MAX_LINES,
  NAMED_ANYWAY,
  PROVIDER_FILES,
  PURE_FOLDERS,
  SHARED_LOCALES,
  type Side,
} from "./structure-table.ts";
import { type Breach, isCode, isTest, type SourceFile } from "./tree.ts";

const breach = (path: string, rule: string, message: string): Breach => ({ path, rule, message });

/** The first comment of a file, without its frame; undefined where the file opens with something else. */
function headOf(text: string): string | undefined {
  return /^(?:#![^\n]*\n)?\/\*\*([\s\S]*?)\*\//
    .exec(text)?.[1]
    ?.replace(/^\s*\*/gm, "")
    .trim();
}

/** Every code file opens with one sentence that says what it is. */
export function checkHeads(files: readonly SourceFile[]): Breach[] {
  return files
    .filter(({ path, text }) => isCode(path) && !/^[\s\S]{10,}[.:]$/.test(headOf(text) ?? ""))
    .map(({ path }) => breach(path, "head", "must open with a /** sentence. */ that says what the file is"));
}

/** No file or folder carries a name that says nothing. */
export function checkNames(files: readonly SourceFile[]): Breach[] {
  const isReviewed = (path: string): boolean => NAMED_ANYWAY.some(({ folder }) => path.startsWith(`${folder}/`));
  return files
    .filter(({ path }) => !isReviewed(path))
    .filter(({ path }) => path.split("/").some((part) => EMPTY_NAMES.includes(part.replace(/\..*$/, "").toLowerCase())))
    .map(({ path }) =>
      breach(path, "names", `is called one of ${EMPTY_NAMES.join(", ")}: name it after what it holds`),
    );
}

export function checkSizes(files: readonly SourceFile[]): Breach[] {
  return files
    .filter(({ path }) => /\.(?:ts|tsx|mjs|css)$/.test(path))
    .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => breach(path, "size", `has ${lines} lines, at most ${MAX_LINES} are allowed`));
}

/** Files of code of each folder, tests not counted. */
function filesOfFolders(files: readonly SourceFile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    if (!/\.tsx?$/.test(path) || isTest(path)) continue;
    const folder = path.slice(0, path.lastIndexOf("/"));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}

const PRODUCT = /^(?:contract|server|web)\/src(?:\/|$)/;

/** A file of the product is long enough to say something, or is of a kind that may be short, or has its reason. */
export function checkShortFiles(files: readonly SourceFile[]): Breach[] {
  const isExcused = (path: string): boolean =>
    SHORT_KINDS.some((kind) => kind.files.test(path)) || Object.hasOwn(SHORT_FILES, path);
  return files
    .filter(({ path }) => PRODUCT.test(path) && /\.tsx?$/.test(path) && !isTest(path) && !isExcused(path))
    .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines < MIN_LINES)
    .map(({ path, lines }) =>
      breach(path, "short", `has ${lines} lines: merge it into what uses it, or give a reason in size-table.ts`),
    );
}

/** A folder of the product has enough files to be one, or has its reason. */
export function checkSmallFolders(files: readonly SourceFile[]): Breach[] {
  return [...filesOfFolders(files)]
    .filter(([folder, count]) => PRODUCT.test(folder) && count < MIN_FILES)
    .filter(([folder]) => !SMALL_FOLDERS.some(({ folders }) => folders.test(folder)))
    .map(([folder, count]) =>
      breach(folder, "rooms", `holds ${count} files of code, at least ${MIN_FILES} are a folder: see size-table.ts`),
    );
}

/** No folder but these holds more files of code than one can look over, tests not counted; and these do. */
export function checkFolderSizes(files: readonly SourceFile[], exceptions = FULL_FOLDERS): Breach[] {
  const counts = filesOfFolders(files);
  const isFull = (folder: string): boolean => (counts.get(folder) ?? 0) > MAX_FILES;
  const excepted = exceptions.map(({ folder }) => folder);
  const breaches = [...counts.keys()]
    .filter((folder) => isFull(folder) && !excepted.includes(folder))
    .map((folder) =>
      breach(folder, "rooms", `holds ${counts.get(folder)} files of code, at most ${MAX_FILES} are allowed`),
    );
  const stale = excepted
    .filter((folder) => !isFull(folder))
    .map((folder) => breach(folder, "rooms", "is not full: take it out of FULL_FOLDERS"));
  return [...breaches, ...stale];
}

/** Pieces are joined so that this file does not break its own rule. */
const MACHINE_PATH = new RegExp(`(?<![\\w.])/(?:${["work", "root", "tmp", "home/[a-z]+"].join("|")})/`);
const PACKAGE_HOST = new RegExp(["registry", "npmjs", "org"].join("\\."));

/** Nothing names a folder of the machine it was written on, nor where packages are fetched from. */
export function checkMachinePaths(files: readonly SourceFile[]): Breach[] {
  return files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => {
      const found = MACHINE_PATH.exec(line) ?? PACKAGE_HOST.exec(line);
      return found === null ? [] : [breach(path, "machine", `line ${index + 1} names ${found[0]}`)];
    }),
  );
}

export function checkReExports(files: readonly SourceFile[]): Breach[] {
  return files
    .filter(({ path, text }) => isCode(path) && /^export \*/m.test(text))
    .map(({ path }) => breach(path, "barrels", "re-exports a whole file: import from where things are"));
}

/** Pure folders use no clock, no random and no I/O; the environment is read in one place. */
export function checkPurity(files: readonly SourceFile[]): Breach[] {
  const code = files.filter(({ path }) => isCode(path) && !isTest(path));
  const impure = code
    .filter(({ path }) => PURE_FOLDERS.some((folder) => path.startsWith(folder)))
    .flatMap(({ path, text }) => {
      const found = IMPURE.exec(text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, ""));
      return found === null ? [] : [breach(path, "purity", `uses ${found[0]}: hand it in as an argument`)];
    });
  const readers = code
    .filter(({ path, text }) => path.startsWith("server/src/") && /\bprocess\.env\b/.test(text))
    .filter(({ path }) => !ENVIRONMENT_READERS.includes(path))
    .map(({ path }) => breach(path, "purity", "reads process.env: only config.ts may"));
  return [...impure, ...readers];
}

/** The product files of each folder that `place` names (its first group is the folder, its second the file inside). */
function filesByFolder(files: readonly SourceFile[], place: RegExp): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const { path } of files) {
    const [, slug, rest] = place.exec(path) ?? [];
    if (slug === undefined || rest === undefined || rest.startsWith("fixtures/")) continue;
    folders.set(slug, (folders.get(slug) ?? new Set()).add(rest));
  }
  return folders;
}

/** Every folder holds the files its kind requires, and no product file whose name is not among those of its kind. */
function checkVocabulary(
  rule: "providers" | "dialects",
  folders: ReadonlyMap<string, Set<string>>,
  { required, optional }: FileVocabulary,
): Breach[] {
  return [...folders].flatMap(([slug, names]) => {
    const at = `server/src/${rule}/${slug}`;
    const named = (name: string): string => name.replace("{slug}", slug);
    const allowed = new Set([...required, ...optional].map(named));
    const missing = required.map(named).filter((name) => !names.has(name));
    const strange = [...names].filter((name) => !allowed.has(name) && !isTest(name));
    return [
      ...missing.map((name) => breach(at, rule, `has no ${name}, which every folder beside it has`)),
      ...strange.map((name) => breach(`${at}/${name}`, rule, "is not among the file names of structure-table.ts")),
    ];
  });
}

export const checkProviders = (files: readonly SourceFile[]): Breach[] =>
  checkVocabulary("providers", filesByFolder(files, /^server\/src\/providers\/([^/]+)\/(.+)$/), PROVIDER_FILES);

export function checkDialects(files: readonly SourceFile[]): Breach[] {
  const folders = filesByFolder(files, /^server\/src\/dialects\/([^/]+)\/(.+)$/);
  for (const room of DIALECT_ROOMS) folders.delete(room);
  return checkVocabulary("dialects", folders, DIALECT_FILES);
}

const PLACES: Readonly<Record<Side, RegExp>> = {
  contract: /^contract\/src\/features\/([^/]+?)(?:\.test)?\.ts$/,
  server: /^server\/src\/console\/([^/]+)\/.+/,
  web: /^web\/src\/features\/([^/]+)\/.+/,
  // A part of a feature's texts has the feature's name before a dot.
  locales: /^web\/src\/locales\/en\/([^/.]+)(?:\.[^/.]+)?\.json$/,
};

function namesOf(files: readonly SourceFile[], place: RegExp): Set<string> {
  return new Set(
    files.flatMap(({ path }) => place.exec(path)?.[1] ?? []).filter((name) => !CONSOLE_ROOMS.includes(name)),
  );
}

/** A feature has the same name on every side; a side it does not need is a reviewed exception. */
export function checkFeatures(
  files: readonly SourceFile[],
  exceptions: readonly { feature: string; missing: readonly Side[] }[] = FEATURE_EXCEPTIONS,
): Breach[] {
  const sides: Side[] = ["contract", "server", "web", "locales"];
  const names = Object.fromEntries(sides.map((side) => [side, namesOf(files, PLACES[side])]));
  const isKnown = (name: string, side: Side): boolean =>
    (FEATURES as readonly string[]).includes(name) ||
    (side === "locales" && SHARED_LOCALES.some((each) => each.name === name));
  const unknown = sides.flatMap((side) =>
    [...(names[side] ?? [])]
      .filter((name) => !isKnown(name, side))
      .map((name) => breach(name, "features", `is no feature of the product, but stands in ${side}`)),
  );
  const started = FEATURES.filter((feature) => sides.some((side) => names[side]?.has(feature)));
  const missing = started.flatMap((feature) =>
    sides
      .filter((side) => !names[side]?.has(feature))
      .filter((side) => !exceptions.some((each) => each.feature === feature && each.missing.includes(side)))
      .map((side) => breach(feature, "features", `stands on some sides, but not in ${side}`)),
  );
  const stale = exceptions.flatMap(({ feature, missing: sidesMissing }) =>
    sidesMissing
      .filter((side) => names[side]?.has(feature))
      .map((side) => breach(feature, "features", `does stand in ${side}: take it out of FEATURE_EXCEPTIONS`)),
  );
  return [...unknown, ...missing, ...stale];
}
