/** Promises of the scripts that write a configuration: run by a real sh, they keep what was there, are the owner's alone, and do nothing where they are cut. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { installCommand, INSTALLED_PROGRAMS, installScript } from "./install-script.ts";
import type { Connection } from "./program.ts";

const connection: Connection = {
  origin: "https://gate.acme.dev",
  key: "sk-abcdefgh",
  model: 'it\'s `id` $HOME "m"',
  operation: "chat",
};
let home = "";

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "turnpike-install-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const run = (script: string, env: Readonly<Record<string, string>> = {}): string =>
  execFileSync("sh", { input: script, env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env } }).toString();
const read = (name: string): string => readFileSync(join(home, name), "utf8");
const claude = installScript("claude-code", "sh", connection);

it("writes Claude Code's settings with every character as it is, for the owner alone", () => {
  expect(run(claude)).toContain("Start it with: claude");
  const { env } = JSON.parse(read(".claude/settings.json")) as { env: Record<string, string> };
  expect(env).toMatchObject({ ANTHROPIC_AUTH_TOKEN: connection.key, ANTHROPIC_MODEL: connection.model });
  expect(statSync(join(home, ".claude/settings.json")).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home, ".claude"))).toEqual(["settings.json"]);
});

it("keeps a file that was there, each time", () => {
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude/settings.json"), '{"mine":1}');
  run(claude);
  run(claude);
  run(claude);
  const kept = readdirSync(join(home, ".claude")).filter((name) => name.includes(".backup-"));
  expect(kept).toHaveLength(3);
  expect(kept.map((name) => read(`.claude/${name}`))).toContain('{"mine":1}');
});

it("writes Codex's configuration and its key into .env, whose other lines stay", () => {
  mkdirSync(join(home, "elsewhere"));
  writeFileSync(join(home, "elsewhere/.env"), "OTHER=1\nTURNPIKE_API_KEY=sk-old\n");
  run(installScript("codex", "sh", connection), { CODEX_HOME: join(home, "elsewhere") });
  expect(read("elsewhere/.env")).toBe(`OTHER=1\nTURNPIKE_API_KEY=${connection.key}\n`);
  expect(read("elsewhere/config.toml")).toContain('base_url = "https://gate.acme.dev/v1"');
  expect(read("elsewhere/config.toml")).not.toContain(connection.key);
});

it("runs nothing where it arrives cut, at whatever byte", () => {
  for (let length = 0; length < claude.length - "main\n".length; length += 37) {
    try {
      run(claude.slice(0, length));
    } catch {
      // A shell that finds an open quote says so; what counts is what it left behind.
    }
    expect(readdirSync(home)).toEqual([]);
  }
});

it("is balanced PowerShell with every value in single quotes", () => {
  for (const program of INSTALLED_PROGRAMS) {
    const script = installScript(program, "powershell", connection);
    // What is left without quoted texts has neither a quote nor a word of the connection.
    const bare = script.replace(/'(?:[^']|'')*'/g, "").replace(/"`n"/g, "");
    expect(bare).not.toMatch(/['"`]|gate\.acme|sk-/);
    expect(bare.match(/\{/g)?.length).toBe(bare.match(/\}/g)?.length);
    expect(script.trimEnd().endsWith("Save-All")).toBe(true);
  }
  expect(installCommand("sh", "https://gate.acme.dev/x")).toBe("curl -fsSL 'https://gate.acme.dev/x' | sh");
  expect(installCommand("powershell", "https://gate.acme.dev/x")).toBe("irm 'https://gate.acme.dev/x' | iex");
});
