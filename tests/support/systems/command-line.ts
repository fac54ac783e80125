/** Runs `turnpike` for tests: as a process of its own, or within the test's. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { runCommandLine } from "../../../server/src/command-line/run.ts";
import { SERVER_ENVIRONMENT } from "../../../tools/setup/runtime.mjs";
import { watched } from "./processes.ts";

export interface Ran {
  code: number;
  out: string;
  /** What it wrote to standard error, without the lines on how far its rows are: only a busy machine has those. */
  complaint: string;
}

type Environment = Readonly<Record<string, string>>;

/** Packed, which starts in half of the time; tests/document-commands.test.ts runs the sources. */
const PROGRAM = "server/dist/command-line.mjs";

/** As `turnpike` has it, and nothing else of this process's environment than PATH: code that a run has compiled the next one has. */
const environmentOf = (env: Environment): Environment => ({
  PATH: process.env["PATH"] ?? "",
  LOG_LEVEL: "warn",
  ...SERVER_ENVIRONMENT,
  ...env,
});

const withoutProgress = (complaint: string): string =>
  complaint.replaceAll(/^\w+: [\d,]+ (?:of \d+ )?rows, [\d,]+ a second.*\n/gm, "");

/** Runs the command line with these words to its end. */
export function turnpike(env: Environment, ...words: readonly string[]): Promise<Ran> {
  const options = { env: environmentOf(env), maxBuffer: 2 ** 26 };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...words], options, (error, out, complaint) =>
      resolve({
        code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1,
        out,
        complaint: withoutProgress(complaint),
      }),
    );
  });
}

/**
 * The same within this process, for a command that is one step of many: a process of its own takes 400 ms of a processor before its first
 * statement. Each command is run by a process in one test at least; what is killed always is.
 */
export async function turnpikeHere(env: Environment, ...words: readonly string[]): Promise<Ran> {
  const out: string[] = [];
  const complaint: string[] = [];
  const code = await runCommandLine(words, {
    env: environmentOf(env),
    print: (text) => void out.push(`${text}\n`),
    complain: (line) => void complaint.push(`${line}\n`),
  });
  return { code, out: out.join(""), complaint: withoutProgress(complaint.join("")) };
}

/** Starts the command line with these words, to be killed before its end; it never outlives the test file. What it complains of can be read. */
export function startTurnpike(env: Environment, ...words: readonly string[]): ChildProcess {
  const child = watched(
    spawn(process.execPath, [PROGRAM, ...words], { env: environmentOf(env), stdio: ["ignore", "ignore", "pipe"] }),
  );
  child.stderr?.resume();
  return child;
}
