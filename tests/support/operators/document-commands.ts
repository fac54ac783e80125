/** Rules for commands of documents: sub-commands, options, scripts, addresses and files that exist; and why some are not run. */
import { existsSync, readFileSync } from "node:fs";
import { ENVIRONMENT_VARIABLES, SECRET_VARIABLES } from "../../../server/src/config.ts";
import { type Command, findCommand, parseWords } from "../../../server/src/command-line/command.ts";
import { COMMANDS } from "../../../server/src/command-line/commands.ts";
import type { Document } from "../../architecture/documents.ts";
import { type ShellCommand, shellCommands } from "./shell-commands.ts";

const SHELLS = ["sh", "bash", "shell", "console", ""];

const VARIABLES = new Set([
  ...ENVIRONMENT_VARIABLES.map(({ name }) => name),
  ...[...SECRET_VARIABLES].map((name) => `${name}_FILE`),
  // of our own tests
  "TEST_PICTURES",
  "ACCESS_MATRIX",
  "UPDATE_PROVIDERS",
]);

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
const { paths } = JSON.parse(readFileSync("docs/openapi.json", "utf8")) as { paths: Record<string, unknown> };
/** Addresses of the program that its API's document does not have. */
const PROBES = ["/livez", "/readyz", "/metrics"];

/** What no test here can run, each with what stands in its place. Files of ours that they name have to be there. */
export const CANNOT_RUN: Readonly<Record<string, string>> = {
  docker:
    "no container engine here; tests/image.test.ts plays the image, tests/deployment.test.ts reads the compose files",
  kubectl: "no cluster here; tests/chart.test.ts renders the chart",
  helm: "no cluster here; tests/chart.test.ts renders the chart",
  systemctl: "no service manager here; tests/deployment.test.ts reads the unit",
  journalctl: "no service manager here",
  cp: "copies into folders of the machine",
  cd: "leads to a folder of the machine",
  chmod: "of a file of the machine",
  printf: "writes a file of the machine",
  sleep: "a pause of the script around it",
};

/** Commands of `turnpike` that documents name and tests/document-commands.test.ts does not run, each with the test that does. */
export const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  serve: "tests/faults/command-line.test.ts",
  import: "tests/faults/import.test.ts",
  restore: "tests/faults/backup.test.ts",
  copy: "tests/faults/backup.test.ts",
  "key rotate": "server/src/command-line/key.test.ts",
  "config plan": "server/src/command-line/config.test.ts",
  "config apply": "server/src/command-line/config.test.ts",
  "user reset-password": "tests/faults/command-line.test.ts",
  "user disable-2fa": "tests/faults/command-line.test.ts",
  "user promote": "tests/faults/command-line.test.ts",
  "user unlock": "tests/faults/command-line.test.ts",
  "user end-sessions": "tests/faults/command-line.test.ts",
};

const isPrefix = (words: readonly string[]): boolean =>
  COMMANDS.some(({ name }) => words.length > 0 && `${name} `.startsWith(`${words.join(" ")} `));

/** What is wrong with these words behind `turnpike`. In a sentence (`isInline`) a command may stand without what belongs behind it. */
function turnpikeFault(words: readonly string[], isInline: boolean): string | undefined {
  const found = findCommand(COMMANDS, words);
  if (found === undefined) return isInline && isPrefix(words) ? undefined : "there is no such command";
  const bare: Command = isInline && found.rest.length === 0 ? { ...found.command, operands: [] } : found.command;
  try {
    parseWords(bare, found.rest);
    return undefined;
  } catch (error) {
    return String(error).split("\n")[0];
  }
}

function npmFault(words: readonly string[]): string | undefined {
  const [first = "", second = ""] = words;
  if (first === "ci" || first === "install") return undefined;
  const script = first === "run" ? second : first;
  if (!Object.hasOwn(scripts, script)) return `package.json has no script ${script}`;
  return filesFault(words.filter((word) => !word.includes("<")));
}

const OURS = /^(?:deploy|tests|server|contract|web|tools|docs|bin|bench)\//;

/** A file of the repository that a word names and that is not there. */
function filesFault(words: readonly string[]): string | undefined {
  const missing = words.filter((word) => OURS.test(word) && !word.endsWith("/.env") && !existsSync(word));
  return missing.length === 0 ? undefined : `${missing.join(", ")} is not there`;
}

/** The path of an address is one that the program serves. */
function addressFault(address: string): string | undefined {
  const path = address.replace(/^http:\/\/127\.0\.0\.1:\d+/, "").replace(/\?.*$/, "");
  const isServed = [path, path.replace(/\/$/, "")].some((each) => Object.hasOwn(paths, each) || PROBES.includes(each));
  return isServed ? undefined : `nothing is served at ${path}`;
}

type Check = (words: readonly string[], isInline: boolean) => string | undefined;

const CHECKS: Readonly<Record<string, Check>> = {
  turnpike: turnpikeFault,
  npm: npmFault,
  npx: (words, isInline) => (words[0] === "turnpike" ? turnpikeFault(words.slice(1), isInline) : undefined),
  node: ([file = "", ...rest], isInline) =>
    /turnpike\.mjs$|command-line\/main\.ts$/.test(file)
      ? (filesFault([file]) ?? turnpikeFault(rest, isInline))
      : filesFault([file]),
  curl: (words) => {
    const address = words.find((word) => /^https?:/.test(word));
    return address === undefined ? "it names no address" : addressFault(address);
  },
  // The function of docs/scripted-install.md around curl.
  call: ([path = ""]) => addressFault(path),
};

/** What is wrong with a command; undefined where it is right. */
export function commandFault({ variables, program, words }: ShellCommand, isInline = false): string | undefined {
  const unknown = variables.map((pair) => pair.split("=")[0] ?? "").filter((name) => !VARIABLES.has(name));
  if (unknown.length > 0) return `there is no variable ${unknown.join(", ")}`;
  if (program === "docker" && words[0] === "exec")
    return commandFault({ variables, program: words[2] ?? "", words: words.slice(3) }, isInline);
  if (Object.hasOwn(CANNOT_RUN, program)) return filesFault(words);
  const check = CHECKS[program];
  return check === undefined
    ? `${program} is not known: add how it is checked to document-commands.ts`
    : check(words, isInline);
}

const INLINE = /^(?:[A-Z_]+=\S+ )*(?:turnpike \S|npm (?:run|start|test|ci)\b|npx \S|node \S|docker exec )/;
/** Where more than one command is meant, or a part of one. */
const SCHEMATIC = /\||…|\.\.\.|<command>/;

export interface DocumentCommand {
  path: string;
  command: ShellCommand;
  isInline: boolean;
}

/** The commands of a document: of its shell blocks, and those within sentences. */
export function commandsOf({ path, blocks, codes }: Document): DocumentCommand[] {
  const inBlocks = blocks
    .filter(({ language }) => SHELLS.includes(language))
    .flatMap(({ language, text }) => {
      const commands = shellCommands(text, language === "");
      // What is indented may be a figure or a message.
      return language === "" ? commands.filter(({ program }) => Object.hasOwn(CHECKS, program)) : commands;
    });
  const inSentences = codes
    .filter((code) => INLINE.test(code) && !SCHEMATIC.test(code))
    .flatMap((code) => shellCommands(code));
  return [
    ...inBlocks.map((command) => ({ path, command, isInline: false })),
    ...inSentences.map((command) => ({ path, command, isInline: true })),
  ];
}
