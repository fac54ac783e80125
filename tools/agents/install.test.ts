/** Tests of the cache of programs: used again while it is whole, else made anew, and a failed or altered download is an error that says what to do. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { missingOptional } from "../complete-lockfile.mjs";
import { installPrograms, isWhole, programsFolder } from "./install.mjs";

const roots: string[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

interface Scene {
  packages: string;
  caches: string;
  binaries: readonly string[];
}

/** A lockfile with one package, which is a file, and an empty cache; npm asks no registry for it. */
function newScene(change: (integrity: string) => string = (integrity) => integrity): Scene {
  const root = mkdtempSync(join(tmpdir(), "turnpike-programs-"));
  roots.push(root);
  const [packages, source] = [join(root, "packages"), join(root, "package")];
  for (const folder of [packages, source]) mkdirSync(folder);
  writeFileSync(join(source, "package.json"), JSON.stringify({ name: "tool", version: "1.0.0" }));
  writeFileSync(join(source, "tool.js"), "process.stdout.write('tool');\n");
  writeFileSync(join(source, "tool.js.map"), "{}");
  const archive = join(root, "tool.tgz");
  execFileSync("tar", ["czf", archive, "-C", root, "package"]);
  const integrity = change(`sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`);
  const manifest = { name: "programs", version: "1.0.0", dependencies: { tool: `file:${archive}` } };
  const tool = { version: "1.0.0", resolved: `file:${archive}`, integrity };
  const lock = {
    ...manifest,
    lockfileVersion: 3,
    requires: true,
    packages: { "": manifest, "node_modules/tool": tool },
  };
  writeFileSync(join(packages, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(packages, "package-lock.json"), JSON.stringify(lock));
  return { packages, caches: join(root, "caches"), binaries: ["tool"] };
}

const folderOf = ({ packages, caches }: Scene): string => programsFolder(packages, caches);

test("a cache that is whole is used again, and one that lost a byte or a file is made anew", () => {
  const scene = newScene();
  const folder = folderOf(scene);
  const script = join(folder, "node_modules", "tool", "tool.js");
  expect(isWhole(folder)).toBe(false);
  expect([installPrograms(scene), installPrograms(scene)]).toEqual(["installed", "up to date"]);
  writeFileSync(script, readFileSync(script).subarray(1));
  expect(installPrograms(scene)).toBe("installed");
  rmSync(script);
  expect(installPrograms(scene)).toBe("installed");
  expect(readFileSync(script, "utf8")).toContain("tool");
  expect(readdirSync(join(folder, "node_modules", "tool")).toSorted()).toEqual(["package.json", "tool.js"]);
  expect(readdirSync(scene.caches)).toHaveLength(1);
});

test("a package with other contents than the lockfile's is refused, and so is one without this machine's program", () => {
  const other = newScene((integrity) => integrity.replace(/-.{8}/, "-AAAAAAAA"));
  expect(() => installPrograms(other)).toThrow("EINTEGRITY");
  const scene = newScene();
  expect(() => installPrograms({ ...scene, binaries: ["tool", "tool-for-here"] })).toThrow(
    "npm left out tool-for-here",
  );
  for (const { caches } of [other, scene]) expect(readdirSync(caches)).toEqual([]);
});

test("where no registry answers and no cache is there, it says both, and what to run", () => {
  const scene = newScene();
  for (const part of ["package.json", "package-lock.json"]) {
    const path = join(scene.packages, part);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(/"file:[^"]*"/g, '"1.0.0"'));
  }
  const lock = join(scene.packages, "package-lock.json");
  writeFileSync(lock, readFileSync(lock, "utf8").replace('"resolved":"1.0.0",', ""));
  vi.stubEnv("npm_config_registry", "http://127.0.0.1:9/");
  vi.stubEnv("npm_config_cache", join(scene.packages, "npm"));
  expect(() => installPrograms(scene)).toThrow(
    /are not in .*caches.*npm could not fetch them.*run node tools\/agents\/install\.mjs[^]*ECONNREFUSED/,
  );
  expect(readdirSync(scene.caches)).toEqual([]);
});

test("the caches of other lockfiles are removed once no run has used them for two weeks", () => {
  const scene = newScene();
  const [old, recent] = ["old", "recent"].map((name) => join(scene.caches, name)) as [string, string];
  for (const folder of [old, recent]) mkdirSync(folder, { recursive: true });
  const longAgo = new Date(Date.now() - 15 * 24 * 3_600_000);
  utimesSync(old, longAgo, longAgo);
  installPrograms(scene);
  expect(readdirSync(scene.caches).toSorted()).toEqual([folderOf(scene).split("/").at(-1), "recent"].toSorted());
});

test("the programs' lockfile is whole, checks what every machine gets and names no download address", () => {
  const read = (part: string): string => readFileSync(new URL(`packages/${part}`, import.meta.url), "utf8");
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { integrity?: string; optional?: boolean }>;
  };
  const { dependencies, optionalDependencies } = JSON.parse(read("package.json")) as Record<string, object>;
  const versions: string[] = Object.values({ ...dependencies, ...optionalDependencies });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect([...missingOptional(packages).keys()]).toEqual([]);
  expect(read("package-lock.json")).not.toContain('"resolved"');
  const unchecked = Object.entries(packages).filter(([path, { integrity }]) => path !== "" && integrity === undefined);
  expect(unchecked.filter(([, { optional }]) => optional !== true)).toEqual([]);
  expect(unchecked.map(([path]) => path).filter((path) => path.endsWith("-linux-x64"))).toEqual([]);
});
