/** Authorization of options: the running server answers as the reviewed table says, and as the principle of owners demands. */
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OPTION_NAMES, optionDefinition } from "../../contract/src/options/options.ts";
import { OPTION_SECTIONS } from "../../contract/src/options/sections.ts";
import { setUp, startTestServer, type TestServer } from "../support/systems/server.ts";
import { everyFourth, LEAVES_TO_ALL } from "../support/soak/short-or-long.ts";
import { OPTION_CALLERS, type OptionLine, optionLines, optionTable } from "./options.ts";

const FILE = new URL("expected-options.txt", import.meta.url);

const IS_WRITTEN = process.env["ACCESS_MATRIX"] === "write";

/** It takes 15 s on two cores that are free. */
const BUSY_MACHINE_MS = 240_000;

let server: TestServer;
let lines: OptionLine[];

beforeAll(async () => {
  server = await startTestServer();
  await setUp(server);
  lines = await optionLines(server, LEAVES_TO_ALL && !IS_WRITTEN ? everyFourth(OPTION_NAMES) : OPTION_NAMES);
  if (IS_WRITTEN) writeFileSync(FILE, optionTable(lines));
}, BUSY_MACHINE_MS);

afterAll(() => server?.stop());

const rowsOf = (table: string): ReadonlyMap<string, string> =>
  new Map(
    table
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const [name = "", ...cells] = line.split(/\s+/);
        return [name, cells.join(" ")];
      }),
  );

test("every option is in the reviewed table, and every cell is as it says", () => {
  const written = rowsOf(readFileSync(FILE, "utf8"));
  const now = rowsOf(optionTable(lines));
  expect(["option", ...OPTION_NAMES]).toEqual([...written.keys()]);
  const different = [...now].filter(([name, cells]) => written.get(name) !== cells);
  expect(different.map(([name, cells]) => ({ name, cells, expected: written.get(name) }))).toEqual([]);
});

test("root's options are set by a confirmed session of the super administrator and in no other way, the others by every administrator", () => {
  const letIn = ({ cells }: OptionLine) => OPTION_CALLERS.filter((caller) => ["set", "later"].includes(cells[caller]));
  const admins = OPTION_CALLERS.filter((caller) => !caller.startsWith("user"));
  for (const line of lines) {
    const isRoots = optionDefinition(line.name).owner === "root";
    expect([line.name, letIn(line)]).toEqual([line.name, isRoots ? ["root_confirmed"] : admins]);
  }
});

/** Sections of which every option decides who comes in or where mail, money and calls go. */
const SECTIONS_OF_ROOT: readonly string[] = OPTION_SECTIONS.system;

test("what is secret, leads elsewhere or may hold a link is root's, and so are the sections of sign-in, mail, payment and the worker", () => {
  const leading = new Set(["url", "content", "picture"]);
  const wrong = OPTION_NAMES.filter((name) => {
    const { kind, section, isSecret, owner } = optionDefinition(name);
    return owner !== "root" && (isSecret || leading.has(kind) || SECTIONS_OF_ROOT.includes(section));
  });
  expect(wrong).toEqual([]);
  expect(optionDefinition("Chats").owner).toBe("root");
});
