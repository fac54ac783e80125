/** Builds the documentation site as `npm run site` does: every page is there, every link leads somewhere, and nothing comes from another host. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listedNames, SECTIONS } from "../site/.vitepress/pages.ts";
import { missingOptional } from "../tools/complete-lockfile.mjs";
import { testInAll } from "./support/soak/test-in-all.ts";

/** Installing takes some 20 s, building 10 to 25; a machine that is busy with other tests is slower. */
const BUILD_MS = 200_000;

/** Builds into a folder. Throws with what the build said: without its packages and a registry of npm there is no site. */
function build(folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const words = ["tools/site.mjs", "--outDir", folder];
    execFile(process.execPath, words, { timeout: BUILD_MS }, (error, out, complaint) =>
      error === null ? resolve() : reject(new Error(`npm run site failed:\n${out}${complaint}`)),
    );
  });
}

const pagesOf = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".html"))
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );

/** Links of a page to what the site does not have: `page: address`. */
function deadLinks(folder: string, pages: ReadonlyMap<string, string>, name: string): string[] {
  const links = [...(pages.get(name) ?? "").matchAll(/<a\b[^>]*\shref="([^"]*)"/g)].map(([, href = ""]) => href);
  return links
    .filter((href) => !/^https?:/.test(href))
    .filter((href) => {
      const [path = "", anchor] = href.split("#");
      const file = path === "" ? name : path.replace(/\/$/, "/index.html").slice(1);
      if (!existsSync(join(folder, file))) return true;
      return anchor !== undefined && anchor !== "" && !pages.get(file)?.includes(` id="${decodeURIComponent(anchor)}"`);
    })
    .map((href) => `${name}: ${href}`);
}

/** What a page or a style loads, as far as its text says. */
const loadedBy = (text: string): string[] =>
  [
    ...text.matchAll(/<(?:script|img|link|iframe)\b[^>]*\s(?:src|href)="([^"]*)"|(?:url\(|@import )["']?([^"')]+)/g),
  ].map(([, tag, style]) => tag ?? style ?? "");

testInAll(
  "the site is built: its pages, links and calls are there, and it loads nothing from elsewhere",
  BUILD_MS,
)(async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-site-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await build(folder);
  const pages = pagesOf(folder);

  const made = SECTIONS.flatMap((section) => section.pages).map(({ name }) => `${name}.html`);
  const chinese = listedNames("zh").map((name) => `zh/${name}.html`);
  expect([...made, ...chinese, "index.html", "zh/index.html"].filter((name) => !pages.has(name))).toEqual([]);
  expect(chinese.filter((name) => !pages.get(name)?.includes('<html lang="zh-CN"'))).toEqual([]);
  expect([...pages.keys()].flatMap((name) => deadLinks(folder, pages, name))).toEqual([]);
  expect(pages.get("zh/troubleshooting.html")).toContain('href="/error-codes.html"');

  expect(pages.get("production.html")).toContain("☐ A proxy ends TLS");
  expect(pages.get("deployment.html")).toContain(">Backup and restore</a>");

  const { paths } = JSON.parse(readFileSync("docs/openapi.json", "utf8")) as { paths: Record<string, object> };
  const calls = Object.values(paths).flatMap((methods) => Object.keys(methods));
  const shown = [...pages]
    .filter(([name]) => name.startsWith("api/"))
    .flatMap(([, text]) => text.match(/<h2 id="/g) ?? []);
  expect(shown.length).toBe(calls.length);

  const assets = readdirSync(join(folder, "assets"), { recursive: true, encoding: "utf8" });
  const styles = assets
    .filter((name) => name.endsWith(".css"))
    .map((name) => readFileSync(join(folder, "assets", name), "utf8"));
  expect(
    [...pages.values(), ...styles].flatMap(loadedBy).filter((address) => !/^(?:\/(?!\/)|data:|#)/.test(address)),
  ).toEqual([]);
  expect(assets.filter((name) => name.includes("localSearchIndex")).length).toBe(2);
});

test("the site's lockfile is whole and names no download address, and its packages are exact versions", () => {
  const lock = readFileSync("site/package-lock.json", "utf8");
  const { packages } = JSON.parse(lock) as { packages: Record<string, object> };
  const manifest = JSON.parse(readFileSync("site/package.json", "utf8")) as { devDependencies: Record<string, string> };
  const root = JSON.parse(readFileSync("package.json", "utf8")) as { workspaces: string[] };
  expect([...missingOptional(packages).keys()]).toEqual([]);
  expect(lock).not.toContain('"resolved"');
  expect(Object.values(manifest.devDependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  // Who installs the product does not install the site.
  expect(root.workspaces).not.toContain("site");
});
