/** What a command of `turnpike` is: its words, its options, its help, and its result for terminals and for programs. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import type { LogEvent } from "../../../contract/src/logs/events.ts";
import type { Config } from "../config.ts";

export interface CommandResult {
  /** 0 where what was asked for is done or true. */
  exitCode: number;
  /** For people. */
  lines: readonly string[];
  /** For programs: what `--json` prints. */
  data: object;
}

export interface ParsedWords {
  /** Words after the command's name that belong to no option. */
  words: readonly string[];
  options: Readonly<Record<string, string | boolean | undefined>>;
}

export interface CommandContext {
  /** The variables of the process. */
  env: NodeJS.ProcessEnv;
  /** What they say, as the server reads it. Throws an Error of one line. */
  config: () => Config;
  /** One line of progress, on standard error. */
  progress: (line: string) => void;
}

export interface Command {
  /** As it is typed: `user promote`. */
  name: string;
  summary: string;
  /** What stands behind the name: `<account>`. */
  operands: readonly string[];
  options: Readonly<Record<string, CommandOption>>;
  /** Whole command lines, each with what it does. */
  examples: readonly (readonly [line: string, meaning: string])[];
  /** Of a command line that cannot be read, where 2 means something else. */
  usageExitCode?: number;
  run(context: CommandContext, parsed: ParsedWords): Promise<CommandResult | undefined>;
  /**
   * Its row in the administrators' log and the audit trail, by the actor "command line". `none`: it changes nothing and hands no data out. `own`: it
   * writes the row with what it changes, in one transaction. Else the event of a result; undefined where nothing was done.
   */
  row: "none" | "own" | ((result: CommandResult) => LogEvent | undefined);
}

/** A field of a result's data, as a number or a text; 0 and "" where there is none. */
export const numberIn = ({ data }: CommandResult, field: string): number => Number(Reflect.get(data, field) ?? 0);
export const textIn = ({ data }: CommandResult, field: string): string => String(Reflect.get(data, field) ?? "");

interface CommandOption {
  type: "string" | "boolean";
  /** What stands behind it in the help: `<role>`. */
  value?: string;
  meaning: string;
}

/** Options of every command. */
const COMMON: Readonly<Record<string, CommandOption>> = {
  json: { type: "boolean", meaning: "Prints the result as one line of JSON" },
  help: { type: "boolean", meaning: "Prints this help" },
};

/** The exit code for a command line that cannot be read, unless a command says otherwise. */
export const USAGE_EXIT_CODE = 2;

/** A command line that cannot be read. */
export class UsageError extends Error {
  readonly exitCode: number;
  constructor(message: string, { exitCode = USAGE_EXIT_CODE, ...options }: ErrorOptions & { exitCode?: number } = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The command with the longest name that the words begin with, and the words behind it. */
export function findCommand(commands: readonly Command[], words: readonly string[]) {
  const found = commands
    .filter(({ name }) => name.split(" ").every((word, index) => words[index] === word))
    .toSorted((one, other) => other.name.length - one.name.length)[0];
  return found === undefined ? undefined : { command: found, rest: words.slice(found.name.split(" ").length) };
}

/** Reads the words behind a command's name. Throws UsageError with one line. */
export function parseWords(command: Command, rest: readonly string[]): ParsedWords {
  const short: ParseArgsConfig["options"] = { help: { type: "boolean", short: "h" } };
  const options = { ...typesOf(command.options), ...typesOf(COMMON), ...short };
  try {
    const { values, positionals } = parseArgs({ args: [...rest], options, allowPositionals: true, strict: true });
    const parsed = { words: positionals, options: values as ParsedWords["options"] };
    if (parsed.options["help"] !== true) refuseOperands(command, positionals);
    return parsed;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${hint(command)}`, {
      cause: error,
      ...(command.usageExitCode === undefined ? {} : { exitCode: command.usageExitCode }),
    });
  }
}

const typesOf = (options: Command["options"]) =>
  Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]));

const hint = ({ name }: Command): string => `See: turnpike ${name} --help`;

function refuseOperands({ name, operands }: Command, words: readonly string[]): void {
  if (words.length === operands.length) return;
  const wanted = operands.length === 0 ? "takes no further words" : `takes ${operands.join(" ")}`;
  throw new Error(`turnpike ${name} ${wanted}`);
}

const columns = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
};

/** The help of one command, examples first. */
export function helpOf({ name, summary, operands, options, examples }: Command): string[] {
  const rows = Object.entries({ ...options, ...COMMON }).map(
    ([option, { value, meaning }]) => [`--${option}${value === undefined ? "" : ` ${value}`}`, meaning] as const,
  );
  return [
    summary,
    "",
    "Examples:",
    ...columns(examples),
    "",
    `Usage: turnpike ${[name, ...operands].join(" ")} [options]`,
    "",
    "Options:",
    ...columns(rows),
  ];
}

/** The help of the whole program. */
export const programHelp = (commands: readonly Command[]): string[] => [
  "Turnpike: a self-hosted gateway for AI model APIs",
  "",
  "Usage: turnpike <command> [options]",
  "",
  "Commands:",
  ...columns(commands.map(({ name, operands, summary }) => [[name, ...operands].join(" "), summary] as const)),
  "",
  "The environment variables of the server count here too (docs/configuration.md).",
  "turnpike <command> --help says more.",
];
