/** Checks every import of the tree against the table of zones in rules.ts. */
import { posix } from "node:path";
import { type ImportException, type Zone } from "./rules.ts";
import { DIALECT_ROOMS } from "./structure-table.ts";
import { type Breach, isCode, isTest, isTestSupport, type SourceFile } from "./tree.ts";

export interface Import {
  specifier: string;
  isTypeOnly: boolean;
  /** `import("…")`: it runs when the code asks for it, not when the file is loaded. */
  isLazy: boolean;
}

const STATEMENT = /^[ \t]*(?:import|export)\b([^'"`;]*?)\bfrom\s*["']([^"']+)["']/gm;
const BARE = /^[ \t]*import\s*["']([^"']+)["']/gm;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']\s*\)/g;
const URL_OF_FILE = /new URL\(\s*["'](\.[^"']+\.tsx?)["'],\s*import\.meta\.url/g;

/** True for `import type ...` and for a list in which every name is marked `type`. */
function isTypeOnly(clause: string): boolean {
  const trimmed = clause.trim();
  if (/^type\b/.test(trimmed)) return true;
  const names = /^\{([\s\S]*)\}$/.exec(trimmed)?.[1];
  return names !== undefined && names.split(",").every((name) => name.trim() === "" || /^type\s/.test(name.trim()));
}

/** The imports a file states: static, for side effects, dynamic, and workers named by URL. */
export function importsOf(text: string): Import[] {
  const found: Import[] = [];
  for (const [, clause = "", specifier = ""] of text.matchAll(STATEMENT)) {
    found.push({ specifier, isTypeOnly: isTypeOnly(clause), isLazy: false });
  }
  for (const pattern of [BARE, DYNAMIC, URL_OF_FILE]) {
    for (const [, specifier = ""] of text.matchAll(pattern)) {
      found.push({ specifier, isTypeOnly: false, isLazy: pattern === DYNAMIC });
    }
  }
  return found;
}

const escaped = (part: string): string => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&");

/** The folder or file (with `*` filled in) that a pattern matches at the head of a path, or undefined. */
function headMatching(pattern: string, path: string): string | undefined {
  const source = pattern
    .split("/")
    .map((part) => (part === "*" ? "[^/]+(?=/)" : escaped(part).replace("*", "[^/]+")))
    .join("/");
  return new RegExp(`^${source}(?=/|$)`).exec(path)?.[0];
}

/** The zone of a path and the concrete folder it stands for; undefined for an undeclared folder. */
function zoneOf(path: string, zones: readonly Zone[]): { zone: Zone; head: string } | undefined {
  let best: { zone: Zone; head: string } | undefined;
  for (const zone of zones) {
    const head = headMatching(zone.at, path);
    if (head !== undefined && head.split("/").length > (best?.head.split("/").length ?? 0)) best = { zone, head };
  }
  return best;
}

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

const admits = (allowed: "all" | readonly string[], name: string): boolean =>
  allowed === "all" || allowed.includes(name);

function refusesPackage(zone: Zone, specifier: string): string | undefined {
  if (specifier.startsWith("node:")) {
    return admits(zone.node, specifier) ? undefined : `${zone.at} may not use ${specifier}`;
  }
  const name = packageOf(specifier);
  return admits(zone.npm, name) ? undefined : `${zone.at} may not use the package ${name}`;
}

function refusesFile(place: { zone: Zone; head: string }, target: string, typeOnly: boolean): string | undefined {
  const { zone, head } = place;
  if (headMatching(head, target) !== undefined && target !== head) return undefined;
  const allowed = typeOnly ? [...zone.imports, ...(zone.types ?? [])] : zone.imports;
  if (allowed.some((folder) => headMatching(folder, target) !== undefined)) return undefined;
  return `${zone.at} may not import ${target}${typeOnly ? " even as a type" : ""}`;
}

/** The wire format whose folder a file of dialects/ is in; undefined for the hub and what all of them use. */
function dialectOf(path: string): string | undefined {
  const folder = /^server\/src\/dialects\/([^/]+)\//.exec(path)?.[1];
  return folder === undefined || DIALECT_ROOMS.includes(folder) ? undefined : folder;
}

const featureOf = (path: string): string | undefined => /^server\/src\/console\/([^/]+)\//.exec(path)?.[1];

/** Rules of two folders that the table of zones cannot say: dialects know only the hub, features only their own store. */
function refusesNeighbour(from: string, target: string): string | undefined {
  const [own, other] = [dialectOf(from), dialectOf(target)];
  if (own !== undefined && other !== undefined && own !== other) {
    return "a dialect may not import another dialect, only the rooms of the hub";
  }
  const [feature, otherFeature] = [featureOf(from), featureOf(target)];
  const isStore = /\/(?:[^/]+-)?store\.ts$/.test(target);
  if (isStore && otherFeature !== undefined && otherFeature !== feature) {
    return "a feature may not use another feature's store";
  }
  if (isTestSupport(target) && /^(?:server|contract|web)\//.test(from))
    return "production code may not import what tests share";
  return undefined;
}

function checkOne(file: SourceFile, found: Import, zones: readonly Zone[]): string | undefined {
  const place = zoneOf(file.path, zones);
  if (place === undefined) return undefined;
  if (!found.specifier.startsWith(".")) return refusesPackage(place.zone, found.specifier);
  if (!/\.(?:ts|tsx|mjs|json|css|svg|txt|md)(?:\?\w+)?$/.test(found.specifier))
    return `"${found.specifier}" has no file suffix`;
  const target = posix.join(posix.dirname(file.path), found.specifier.replace(/\?\w+$/, ""));
  return refusesNeighbour(file.path, target) ?? refusesFile(place, target, found.isTypeOnly);
}

/** Breaches of the import table. Tests may import anything on their own side of the wire. */
export function checkImports(
  files: readonly SourceFile[],
  zones: readonly Zone[],
  exceptions: readonly ImportException[] = [],
): Breach[] {
  const breaches: Breach[] = [];
  for (const file of files.filter(({ path }) => isCode(path) && !isTest(path))) {
    for (const found of importsOf(file.text)) {
      const message = checkOne(file, found, zones);
      const isReviewed = exceptions.some(({ from, to }) => from === file.path && found.specifier.endsWith(to));
      if (message !== undefined && !isReviewed) breaches.push({ path: file.path, rule: "imports", message });
    }
  }
  return breaches;
}

/** A test of the web must not reach into the server, nor the other way round, except those under tests/. */
export function checkSides(files: readonly SourceFile[]): Breach[] {
  return files
    .filter(({ path }) => isTest(path) && /^(?:web|server|contract)\//.test(path))
    .flatMap(({ path, text }) => {
      const foreign = path.startsWith("web/")
        ? /^server\//
        : path.startsWith("contract/")
          ? /^(?:server|web)\//
          : /^web\//;
      const targets = importsOf(text).map(({ specifier }) => posix.join(posix.dirname(path), specifier));
      return targets
        .filter((target) => foreign.test(target))
        .map((target) => ({ path, rule: "imports", message: `imports ${target} from the other side` }));
    });
}

/** Files in folders that no zone declares. */
export function checkFolders(files: readonly SourceFile[], zones: readonly Zone[], plain: readonly string[]): Breach[] {
  return files
    .filter(({ path }) => path.includes("/") || isCode(path))
    .filter(({ path }) => !plain.some((folder) => path.startsWith(`${folder}/`)))
    .filter(
      ({ path }) =>
        !["web/index.html", "web/package.json"].includes(path) &&
        zoneOf(path.replace(".test.", "."), zones) === undefined,
    )
    .map(({ path }) => ({
      path,
      rule: "folders",
      message: "stands in a folder that tests/architecture/rules.ts does not know",
    }));
}

/** Every room of these folders has a row of its own in the table. */
export function checkRooms(files: readonly SourceFile[], zones: readonly Zone[], folders: readonly string[]): Breach[] {
  return files.flatMap(({ path }) => {
    const folder = folders.find((each) => path.startsWith(`${each}/`));
    const room = folder === undefined ? undefined : /^[^/]+(?=\/)/.exec(path.slice(folder.length + 1))?.[0];
    const isNamed = room === undefined || zones.some(({ at }) => at === `${folder}/${room}`);
    return isNamed ? [] : [{ path, rule: "rooms", message: `no row of tests/architecture/rules.ts names ${room}` }];
  });
}

/** What runs in production, or is built for it, needs no development package: imports of the part are among these dependencies. */
export function checkPackages(files: readonly SourceFile[], part: RegExp, dependencies: readonly string[]): Breach[] {
  return files
    .filter(({ path }) => part.test(path) && isCode(path) && !isTest(path))
    .flatMap(({ path, text }) =>
      importsOf(text)
        .filter(({ specifier, isTypeOnly: typeOnly }) => !typeOnly && !/^(?:\.|node:)/.test(specifier))
        .map(({ specifier }) => packageOf(specifier))
        .filter((name) => !dependencies.includes(name))
        .map((name) => ({ path, rule: "packages", message: `${name} is not in "dependencies" of package.json` })),
    );
}
