/** Runs a command line of `turnpike` from its words to its exit code, for the process of main.ts or within another one. */
import { readConfig } from "../config.ts";
import { COMMANDS } from "./commands.ts";
import {
  type Command,
  type CommandContext,
  type CommandResult,
  USAGE_EXIT_CODE,
  UsageError,
  findCommand,
  helpOf,
  parseWords,
  programHelp,
} from "./command.ts";
import { failed } from "./control-socket.ts";
import { recordCommand } from "./record.ts";

/** What a command line has of its process. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  /** Takes what is asked for: whole lines without the end of the last one. */
  print(text: string): void;
  /** Takes a line about progress or a failure. */
  complain(line: string): void;
}

/** Failures go to standard error, so that what a script reads is an answer. */
function report({ exitCode, lines, data }: CommandResult, isJson: boolean, { print, complain }: Surroundings): number {
  if (isJson) print(JSON.stringify(data));
  else if ("error" in data) complain(lines.join("\n"));
  else print(lines.join("\n"));
  return exitCode;
}

async function runCommand(command: Command, rest: readonly string[], around: Surroundings): Promise<number> {
  const { env, print, complain } = around;
  const parsed = parseWords(command, rest);
  if (parsed.options["help"] === true) {
    print(helpOf(command).join("\n"));
    return 0;
  }
  const context: CommandContext = { env, config: () => readConfig(env), progress: complain };
  const result = await command.run(context, parsed).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    return failed(error);
  });
  if (result === undefined) return 0;
  const event = typeof command.row === "function" && !("error" in result.data) ? command.row(result) : undefined;
  if (event !== undefined) await recordCommand(context.config(), event, complain);
  return report(result, parsed.options["json"] === true, around);
}

async function find(words: readonly string[], around: Surroundings): Promise<number> {
  if (words.length === 0 || ["help", "--help", "-h"].includes(words[0] ?? "")) {
    around.print(programHelp(COMMANDS).join("\n"));
    return words.length === 0 ? 2 : 0;
  }
  const found = findCommand(COMMANDS, words[0] === "--version" ? ["version"] : words);
  if (found !== undefined) return runCommand(found.command, found.rest, around);
  const near = COMMANDS.filter(({ name }) => name.split(" ")[0] === words[0]).map(({ name }) => `turnpike ${name}`);
  throw new UsageError(
    near.length === 0
      ? `There is no command "${words.join(" ")}". See: turnpike --help`
      : `"${words.join(" ")}" is not complete. One of: ${near.join(", ")}`,
  );
}

/** Finds the command, runs it and says its result. Gives the exit code, 2 for a command line that cannot be read; it does not throw. */
export async function runCommandLine(words: readonly string[], around: Surroundings): Promise<number> {
  try {
    return await find(words, around);
  } catch (error) {
    around.complain(error instanceof Error ? error.message : String(error));
    return error instanceof UsageError ? error.exitCode : USAGE_EXIT_CODE;
  }
}
