/** Runs the commands of the documents: each is checked, those that can run here are run, and the others have a reason. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { documentsIn, readDocument } from "./architecture/documents.ts";
import { findCommand } from "../server/src/command-line/command.ts";
import { COMMANDS } from "../server/src/command-line/commands.ts";
import { type FakeUpstream, startFakeUpstream } from "./fake-upstream/fake-upstream.ts";
import { CANNOT_RUN, commandFault, commandsOf, RUN_ELSEWHERE } from "./support/operators/document-commands.ts";
import { SERVER_ENVIRONMENT } from "../tools/setup/runtime.mjs";
import { shellCommands } from "./support/operators/shell-commands.ts";
import { type ServerProcess, startServer } from "./support/systems/processes.ts";
import { MODELS, type Site, makeSite } from "./support/systems/site.ts";

/** What the changelog names was right when it was written. */
const documents = ["", "docs", "docs/zh"]
  .flatMap(documentsIn)
  .filter((path) => path !== "CHANGELOG.md")
  .map(readDocument);
const commands = documents.flatMap(commandsOf);

interface Ran {
  code: number;
  output: string;
}

function run(
  program: string,
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const environment = { PATH: process.env["PATH"] ?? "", LOG_LEVEL: "warn", ...env };
  return new Promise((resolve) => {
    execFile(program, [...words], { cwd, env: environment, timeout: 60_000 }, (error, out, complaint) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: `${out}${complaint}` }),
    );
  });
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "turnpike-documents-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** The fenced shell blocks of a document, with this server in place of the one it speaks of. */
const blocksOf = (path: string, url: string): string[] =>
  readDocument(path)
    .blocks.filter(({ language }) => language === "sh")
    .map(({ text }) => text.replaceAll("http://127.0.0.1:3000", url));

describe("commands of the documents", () => {
  test("are ones that exist, with options, scripts, files and addresses that exist", () => {
    const faults = commands.flatMap(({ path, command, isInline }) => {
      const fault = commandFault(command, isInline);
      return fault === undefined ? [] : [`${path}: ${[command.program, ...command.words].join(" ")}: ${fault}`];
    });
    expect(commands.length).toBeGreaterThan(60);
    expect(faults).toEqual([]);
  });

  test("that are wrong are found", () => {
    const wrong = [
      "turnpike backups monday.tpk",
      "turnpike backup monday.tpk --fast",
      "turnpike backup",
      "npm run sites",
      "npm test -- tests/none.test.ts",
      "PORTS=1 npm start",
      "docker compose -f deploy/compose.none.yml up -d",
      "curl http://127.0.0.1:3000/v1/chats",
      "rsync a b",
    ];
    expect(wrong.filter((line) => shellCommands(line).every((command) => commandFault(command) === undefined))).toEqual(
      [],
    );
    const right = "until curl -sf http://127.0.0.1:3000/readyz > /dev/null; do sleep 1; done # wait\nnpm start &\n";
    expect(shellCommands(right).map(({ program }) => program)).toEqual(["curl", "sleep", "npm"]);
    expect(shellCommands(right).map((command) => commandFault(command))).toEqual([undefined, undefined, undefined]);
  });

  test("that are not run have a reason, and no reason is left over", () => {
    const programs = new Set(commands.map(({ command }) => command.program));
    expect(Object.keys(CANNOT_RUN).filter((program) => !programs.has(program))).toEqual([]);
    expect(Object.keys(RUN_ELSEWHERE).filter((name) => !COMMANDS.some((command) => command.name === name))).toEqual([]);
    expect(Object.values(RUN_ELSEWHERE).filter((path) => !existsSync(path))).toEqual([]);
  });
});

/** Commands that run here, and behind them those that stand on others; one after the other, as the embedded database belongs to one process. */
const FIRST = ["version", "migrate", "audit", "doctor", "config export", "support-bundle"];
const THEN = ["backup", "verify"];

/** Command lines of `turnpike` in the documents, each once; within a sentence only those with something behind the name. */
function lines(): string[][] {
  const written = commands
    .filter(({ command: { program, words }, isInline }) => program === "turnpike" && (!isInline || words.length > 1))
    .filter(({ command }) => commandFault(command) === undefined)
    .map(({ command }) => command.words.join("\n"));
  return [...new Set(written)].map((line) => line.split("\n"));
}

const nameOf = (words: readonly string[]): string => findCommand(COMMANDS, words)?.command.name ?? "";
/** An address of a place that is not here. */
const isElsewhere = (words: readonly string[]): boolean => words.some((word) => /^\w+:\/\/|^</.test(word));

describe("commands of turnpike", () => {
  test("work on an empty folder, in an order in which one would type them", { timeout: 120_000 }, async () => {
    const cwd = folder();
    const program = join(process.cwd(), "server/src/command-line/main.ts");
    const env = { ...SERVER_ENVIRONMENT, DATA_DIR: join(cwd, "data") };
    const typed = lines().filter((words) => !isElsewhere(words));
    const unknown = typed
      .map(nameOf)
      .filter((name) => ![...FIRST, ...THEN].includes(name) && !Object.hasOwn(RUN_ELSEWHERE, name));
    expect(unknown).toEqual([]);
    const turnpike = (words: readonly string[]) => run(process.execPath, [program, ...words], cwd, env);
    const expectDone = async (words: readonly string[]) =>
      expect([words, await turnpike(words)]).toEqual([words, expect.objectContaining({ code: 0 })]);
    // Brings the database about, as a first start would.
    await expectDone(["migrate"]);
    const first = typed.filter((words) => FIRST.includes(nameOf(words)));
    const then = typed.filter((words) => THEN.includes(nameOf(words)));
    expect([...first, ...then].map(nameOf)).toEqual(
      expect.arrayContaining(["audit", "doctor", "support-bundle", ...THEN]),
    );
    for (const words of first) await expectDone(words);
    for (const name of THEN) for (const words of then.filter((each) => nameOf(each) === name)) await expectDone(words);
    expect(existsSync(join(cwd, "support.tar.gz"))).toBe(true);
    expect(existsSync(join(cwd, "monday.tpk"))).toBe(true);
  });
});

describe("calls with curl", () => {
  let upstream: FakeUpstream;
  let site: Site;
  let server: ServerProcess;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    site = await makeSite("sqlite", { upstreamUrl: upstream.url, quotas: [10 ** 9] });
    server = await startServer(site.env);
  });
  afterAll(async () => {
    await server.end();
    await site.remove();
    await upstream.close();
  });

  test.each(["README.md", "docs/quick-start.md", "docs/zh/quick-start.md", "docs/high-availability.md"])(
    "of %s are answered",
    async (path) => {
      const key = site.people[0]?.key ?? "";
      const blocks = blocksOf(path, server.url).filter((text) => text.startsWith("curl "));
      expect(blocks.length).toBeGreaterThan(0);
      for (const text of blocks) {
        const typed = text.replaceAll("gpt-4o-mini", MODELS.fixed).replaceAll("sk-...", key);
        const { code, output } = await run("sh", ["-c", typed.replace("curl ", "curl -fsS ")], folder(), {
          TOKEN: key,
        });
        expect([typed, code]).toEqual([typed, 0]);
        expect(output).toMatch(/"choices":|^ok$/);
      }
    },
  );

  test("of docs/scripted-install.md set a new installation up, with a channel and a token", async () => {
    const place = folder();
    const secret = "0123456789abcdef-of-the-documents";
    const fresh = await startServer({ DATA_DIR: join(place, "data"), SETUP_CODE: secret });
    onTestFinished(async () => void (await fresh.end()));
    const [, ...blocks] = blocksOf("docs/scripted-install.md", fresh.url);
    const env = { SETUP_CODE: secret, ADMIN_PASSWORD: "battery staple 7", OPENAI_API_KEY: "sk-of-an-upstream" };
    const { code, output } = await run("sh", ["-ec", blocks.join("\n")], place, env);
    expect([code, output]).toEqual([0, expect.stringContaining('"name":"first"')]);
    expect(output).not.toContain('"success":false');
  });
});
