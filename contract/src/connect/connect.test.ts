/** Tests of the table of programs: every one has what it needs, values are quoted, addresses have the version where the program wants it. */
import { execFileSync } from "node:child_process";
import { describe, expect, it, test } from "vitest";
import { canUse, firstModel, isCallOf, operationOf, programOf, programOfUserAgent, PROGRAMS } from "./programs.ts";
import type { Connection, Program } from "./program.ts";
import { QUOTE, SET_VARIABLE, tomlString } from "./quoting.ts";

const connection: Connection = {
  origin: "https://gate.acme.dev",
  key: "sk-abc",
  model: "it's-a-model",
  operation: "chat",
};

/** Everything of a program that is shown, as one text. */
const shownOf = (program: Program): string =>
  [
    ...(program.files ?? []).map(({ content }) => content(connection)),
    ...(program.environment?.(connection) ?? []).map(([name, value]) => SET_VARIABLE.bash(name, value)),
    ...(program.fields ?? []).map(({ value }) => value(connection)),
    ...(program.codes ?? []).map(({ code }) => code(connection)),
    ...(program.links ?? []).map(({ link }) => decodeURIComponent(link(connection))),
    program.run?.(connection, QUOTE.bash) ?? "",
  ].join("\n");

/** Base64 in a link hides address and key from a plain look. */
const IN_BASE64 = new Set(["cherry-studio"]);

test.each(PROGRAMS.map((program) => [program.id, program] as const))(
  "%s has address, key and its vendor's page",
  (id, program) => {
    const shown = shownOf(program);
    expect(shown).toContain(connection.origin);
    expect(shown).toContain(connection.key);
    expect(program.page).toMatch(/^https:\/\//);
    expect(PROGRAMS.filter((other) => other.id === id)).toHaveLength(1);
    if (!IN_BASE64.has(id)) expect(shown).not.toMatch(/\/v1\/v1/);
  },
);

it("gives the address with its version to those that want it so, and without it to those that add it themselves", () => {
  const shown = (id: string): string => shownOf(programOf(id) as Program);
  expect(shown("claude-code")).toContain("ANTHROPIC_BASE_URL='https://gate.acme.dev'\n");
  expect(shown("gemini-cli")).toContain("GOOGLE_GEMINI_BASE_URL='https://gate.acme.dev'\n");
  expect(shown("codex")).toContain('base_url = "https://gate.acme.dev/v1"');
  expect(shown("cc-switch")).toContain("app=codex&name=gate.acme.dev&endpoint=https://gate.acme.dev/v1");
  expect(shown("cc-switch")).toContain("app=claude&name=gate.acme.dev&endpoint=https://gate.acme.dev&");
});

it("writes JSON that is read back, also with quotes in the model's name", () => {
  const model = 'a"b\\c';
  for (const { files = [] } of PROGRAMS)
    for (const { paths, content } of files) {
      const text = content({ ...connection, model });
      if (paths.unix.endsWith(".json")) expect(() => JSON.parse(text) as unknown).not.toThrow();
    }
  expect(tomlString('a\u007f"')).toBe('"a\\u007F\\""');
});

describe("quoting", () => {
  const odd = "a'b\"c$HOME`id`\\d e\\'f;g|h*";

  it("is read back by a real sh, as it was", () => {
    const run = `${SET_VARIABLE.bash("WANTED", odd)}; printf %s "$WANTED"`;
    expect(execFileSync("sh", ["-c", run]).toString()).toBe(odd);
    expect(execFileSync("sh", ["-c", `printf %s ${QUOTE.bash(odd)}`]).toString()).toBe(odd);
  });

  it("leaves nothing open in fish and PowerShell", () => {
    expect(QUOTE.fish("it's\\")).toBe("'it\\'s\\\\'");
    expect(QUOTE.powershell("it's \u2019")).toBe("'it''s \u2019\u2019'");
    expect(SET_VARIABLE.powershell("KEY", "a")).toBe("$env:KEY = 'a'");
    expect(SET_VARIABLE.fish("KEY", "a")).toBe("set -gx KEY 'a'");
  });
});

it("offers first what the program is made for, then what chats, and embeddings only where there is code for them", () => {
  const models = ["bge-m3", "gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"];
  const first = (id: string, all = models): string => firstModel(programOf(id) as Program, all);
  expect([first("claude-code"), first("codex"), first("gemini-cli"), first("curl")]).toEqual([
    "claude-sonnet-4-5",
    "gpt-5",
    "gemini-2.5-pro",
    "gpt-5",
  ]);
  expect([first("claude-code", ["bge-m3"]), first("claude-code", [])]).toEqual(["bge-m3", ""]);
  expect(["text-embedding-3-small", "bge-m3", "gpt-4o"].map(operationOf)).toEqual(["embeddings", "embeddings", "chat"]);
  expect(canUse(programOf("curl") as Program, "embeddings")).toBe(true);
  expect(canUse(programOf("codex") as Program, "embeddings")).toBe(false);
});

it("knows programs by their user-agent, and takes no other program's call for one of them", () => {
  expect(programOfUserAgent("claude-cli/2.1.332 (external, cli)")).toBe("claude-code");
  expect(programOfUserAgent("codex_cli_rs/0.171.0 (Linux)")).toBe("codex");
  expect(programOfUserAgent("Mozilla/5.0")).toBe("");
  const isOf = (id: string, client: string, endpoint: string): boolean =>
    isCallOf(programOf(id) as Program, { client, endpoint });
  expect(isOf("claude-code", "claude-code", "/v1/messages")).toBe(true);
  expect(isOf("claude-code", "", "/v1/messages")).toBe(false);
  // https://github.com/cline/cline (EnvUtils), https://github.com/RooCodeInc/Roo-Code (api/providers/constants.ts)
  expect([programOfUserAgent("Cline/3.81.0"), programOfUserAgent("RooCode/3.53.0")]).toEqual(["cline", "roo-code"]);
  expect(isOf("cursor", "", "/v1/chat/completions")).toBe(true);
  expect(isOf("cursor", "curl", "/v1/chat/completions")).toBe(false);
  expect(isOf("cursor", "", "/v1/messages")).toBe(false);
});
