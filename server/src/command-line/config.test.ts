/** Tests of `turnpike config`: secrets come from this machine and stay out of every output, exit codes give the result of a plan, and a file works beside a server, alone and from afar. */
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { turnpike, turnpikeHere } from "../../../tests/support/systems/command-line.ts";
import { type ServerProcess, startServer } from "../../../tests/support/systems/processes.ts";
import { makeSite, type Site } from "../../../tests/support/systems/site.ts";
import { readConfigurationFile } from "./config-file.ts";
import { askRemote } from "./config-transport.ts";

const SECRET = "sk-of-the-environment-0123456789";

const FILE = `version: 1
managed_by: main
options:
  SystemName: From a file
channels:
  of-the-file:
    name: Of the file
    type: openai
    key: { from: "env:MAIN_KEY" }
    models: [gpt-4o]
`;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-config-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function written(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe("the file", () => {
  const read = async (text: string, environment: Record<string, string> = {}) =>
    readConfigurationFile(await written("read.yaml", text), environment);

  test("gets its secrets from variables and files, and keeps what is stored", async () => {
    const path = await written("key.txt", `${SECRET}\n`);
    const channels = `channels:\n  a: { key: { from: "env:A" } }\n  b: { key: { from: "file:${path}" } }\n  c: { key: { from: stored } }\n`;
    expect(await read(channels, { A: "from-a" })).toEqual({
      channels: { a: { key: { secret: "from-a" } }, b: { key: { secret: SECRET } }, c: { key: { from: "stored" } } },
    });
  });

  test("names every secret that is missing or written out, and never what is written", async () => {
    const channels = `channels:\n  a: { key: { from: "env:NOT_SET" } }\n  b: { key: ${SECRET} }\n  c: { key: { from: "file:/no/such" } }\n`;
    const message = await read(channels).then(String, String);
    expect(message).toContain("channels.a.key: the variable NOT_SET is not set");
    expect(message).toContain("channels.b.key: a secret is written as");
    expect(message).toContain("channels.c.key: ENOENT");
    expect(message).not.toContain(SECRET);
  });

  test("leaves objects alone that only look like references", async () => {
    const channels = `channels:\n  a: { param_override: { x: { from: "env:PATH" } } }\n`;
    expect(await read(channels)).toEqual({ channels: { a: { param_override: { x: { from: "env:PATH" } } } } });
  });

  test("is refused with line and column where it breaks or names something twice, and where it is too long", async () => {
    await expect(read("channels:\n  a: {}\n  a: {}\n")).rejects.toThrow(/read\.yaml:3:3: duplicate key/);
    await expect(read("options: [")).rejects.toThrow(/read\.yaml:1:\d+/);
    await expect(read(`# ${"x".repeat(10 * 1024 * 1024)}`)).rejects.toThrow(/bytes; at most/);
  });

  test("goes to no server in the clear", () => {
    expect(() => askRemote("http://gateway.example", "token")).toThrow("https");
    expect(() => askRemote("https://gateway.example", undefined)).toThrow("TURNPIKE_TOKEN");
  });
});

describe.each(["alone", "beside a server"])("the command %s", (where) => {
  let site: Site;
  let server: ServerProcess | undefined;
  const run = where === "alone" ? turnpike : turnpikeHere;
  const config = (...words: string[]) => run({ ...site.env, MAIN_KEY: SECRET }, "config", ...words);

  beforeAll(async () => {
    site = await makeSite("sqlite", { upstreamUrl: "http://127.0.0.1:9", quotas: [] });
    if (where !== "alone") server = await startServer(site.env);
  }, 120_000);
  afterAll(async () => {
    await server?.end();
    await site.remove();
  });

  test("plans with exit code 2, applies as reviewed, plans to nothing with 0, and refuses with 1", async () => {
    const path = await written("turnpike.yaml", FILE);
    const saved = join(folder, `${server === undefined ? "alone" : "beside"}.json`);
    const planned = await config("plan", path, "--save", saved);
    expect([planned.code, planned.out]).toEqual([2, expect.stringContaining("+ channels.of-the-file")]);
    expect((await stat(saved)).mode & 0o077).toBe(0);
    const dry = await config("apply", path, "--dry-run");
    expect(dry.code).toBe(2);
    const applied = await config("apply", path, "--plan", saved);
    expect([applied.code, applied.complaint]).toEqual([0, ""]);
    const again = await config("plan", path);
    expect([again.code, again.out]).toEqual([0, "No changes.\n"]);
    const exportedText = await config("export", "--name", "main");
    const exported = await written("exported.yaml", exportedText.out);
    expect((await config("plan", exported)).code).toBe(0);
    const typo = await written("typo.yaml", FILE.replace("SystemName", "SystemNmae"));
    const refused = await config("plan", typo);
    expect([refused.code, refused.out]).toEqual([
      1,
      expect.stringContaining("options.SystemNmae: There is no such field"),
    ]);
    const gone = await written("gone.yaml", "version: 1\nmanaged_by: main\nchannels: {}\n");
    expect((await config("apply", gone, "--prune")).code).toBe(1);
    expect((await config("apply", gone, "--prune", "--yes")).code).toBe(0);
    expect((await config("export")).out).not.toContain("  of-the-file:");
    const outputs = [planned, dry, applied, again, exportedText, refused].map(({ out, complaint }) => out + complaint);
    for (const text of [...outputs, await readFile(saved, "utf8"), server?.output() ?? ""])
      expect(text).not.toContain(SECRET);
  }, 240_000);

  test("exits with 1 for a command line that cannot be read", async () => {
    expect((await config("plan")).code).toBe(1);
    expect((await config("plan", "x.yaml", "--prune", "--release")).code).toBe(1);
  }, 60_000);
});
