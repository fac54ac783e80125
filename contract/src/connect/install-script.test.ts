/** Tests of scripts that write a configuration: run by a real sh, they keep earlier content, give the file to its owner alone, and do nothing where they are cut. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installCommand, INSTALLED_PROGRAMS, installScript } from "./install-script.ts";
import type { Connection } from "./program.ts";
import { programOf } from "./programs.ts";

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
const inShell = (line: string): string => execFileSync("sh", ["-c", line]).toString().trim();
/** The program itself: what stands for Python in the path may be a script that needs the whole environment. */
const commandPath = (name: string): string =>
  inShell(name === "python3" ? "python3 -c 'import sys; print(sys.executable)'" : `command -v ${name}`);
const codexText = programOf("codex")?.files?.[0]?.content(connection) ?? "";

/** Root keys, a table of ours and its own table, and what stays of them. */
const CODEX_CONFIG_KEPT = `# what I like
approval_policy = "never"
notify = [
  "say",
  "model = done",
]

[model_providers."other"] # mine
name = "Other"
base_url = "https://other.example/v1"

[[rules]]
models = ["[x]"]

[profiles.fast]
model = "gpt-5-mini"`;
const CODEX_CONFIG = CODEX_CONFIG_KEPT.replace(
  "# what I like\n",
  '# what I like\nmodel = "gpt-5"\nprofile = "fast"\n',
).replace(
  "]\n\n[model",
  ']\n\n[model_providers.turnpike]\nname = "Old"\n\n[model_providers.turnpike.http_headers]\nX-Old = "1"\n\n[model',
);

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

describe("settings that were there", () => {
  const own = {
    permissions: { allow: ["Bash(ls:*)"] },
    env: { MINE: "ä 'b'", ANTHROPIC_API_KEY: "sk-ant-mine", ANTHROPIC_MODEL: "old", CLAUDE_CODE_USE_BEDROCK: "1" },
    hooks: [],
  };

  /** A folder of commands without those that are named here; the rest are links to the real ones. */
  function pathWithout(...missing: string[]): string {
    const folder = join(home, "bin");
    mkdirSync(folder);
    for (const name of ["sh", "node", "python3", "date", "cp", "mv", "chmod", "mkdir", "cat", "sed", "awk", "grep"])
      if (!missing.includes(name)) symlinkSync(commandPath(name), join(folder, name));
    return folder;
  }

  it.each([
    ["Node.js", [] as string[]],
    ["Python", ["node"]],
  ])("stay beside Claude Code's variables where %s is there, but for those in the way", (_, missing) => {
    mkdirSync(join(home, ".claude"));
    writeFileSync(join(home, ".claude/settings.json"), `\uFEFF${JSON.stringify(own)}`);
    expect(run(claude, { PATH: pathWithout(...missing) })).not.toContain("could not be merged");
    const { env, ...others } = JSON.parse(read(".claude/settings.json")) as typeof own;
    expect(others).toEqual({ permissions: own.permissions, hooks: own.hooks });
    expect(env).toEqual({
      MINE: own.env.MINE,
      ANTHROPIC_BASE_URL: connection.origin,
      ANTHROPIC_AUTH_TOKEN: connection.key,
      ANTHROPIC_MODEL: connection.model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: connection.model,
    });
    expect(statSync(join(home, ".claude/settings.json")).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["neither Node.js nor Python is there", JSON.stringify(own), ["node", "python3"]],
    ["they are no JSON", "{ // mine\n}", []],
    ["they are no object", "[1]", []],
    ["their variables are no object", '{"env":[]}', []],
  ])("are kept as a copy, which is said, where %s", (_, text, missing) => {
    mkdirSync(join(home, ".claude"));
    writeFileSync(join(home, ".claude/settings.json"), text);
    expect(run(claude, { PATH: pathWithout(...missing) })).toContain("could not be merged");
    expect(Object.keys(JSON.parse(read(".claude/settings.json")) as object)).toEqual(["env"]);
    const copy = readdirSync(join(home, ".claude")).find((name) => name.includes(".backup-"));
    expect(read(`.claude/${copy}`)).toBe(text);
  });

  it("stay in Codex's configuration, whose provider of before is replaced", () => {
    const codex = installScript("codex", "sh", connection);
    mkdirSync(join(home, ".codex"));
    writeFileSync(join(home, ".codex/config.toml"), CODEX_CONFIG);
    expect(run(codex)).not.toContain("could not be merged");
    const [root, table] = codexText.split("\n\n");
    const once = read(".codex/config.toml");
    expect(once).toBe(`${root}\n\n${CODEX_CONFIG_KEPT}\n\n${table}\n`);
    run(codex);
    // What was ours is replaced, so that nothing but the empty lines before it is added.
    expect(read(".codex/config.toml").replace(/\n+/g, "\n")).toBe(once.replace(/\n+/g, "\n"));
  });

  it.each([
    'developer_instructions = """\n[not a table]\n"""\n',
    'model_providers.other.name = "Other"\n',
    'model_providers = { other = { name = "Other" } }\n',
    'model = "gpt-5"\r\n[profiles.fast]\r\nmodel = "gpt-5-mini"\r\n',
    '[model_providers]\nother = { name = "Other" }\n',
  ])("are kept as a copy where Codex's configuration cannot be read by lines: %j", (text) => {
    mkdirSync(join(home, ".codex"));
    writeFileSync(join(home, ".codex/config.toml"), text);
    expect(run(installScript("codex", "sh", connection))).toContain("could not be merged");
    expect(read(".codex/config.toml")).toBe(`${codexText}\n`);
  });

  it("do not see the key as an argument of another program", () => {
    const folder = pathWithout("node");
    const seen = join(home, "seen");
    writeFileSync(join(folder, "node"), `#!/bin/sh\nprintf '%s\\n' "$@" > ${seen}\nexit 1\n`);
    chmodSync(join(folder, "node"), 0o755);
    mkdirSync(join(home, ".claude"));
    writeFileSync(join(home, ".claude/settings.json"), "{}");
    run(claude, { PATH: folder });
    expect(existsSync(seen)).toBe(true);
    expect(readFileSync(seen, "utf8")).not.toContain(connection.key);
  });
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
