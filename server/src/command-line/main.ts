/** Entry point of `turnpike`: finds the command, runs it, prints its result and exits with its code (2 for a command line that cannot be read). */
import { COMMANDS, configOfProcess } from "./commands.ts";
import {
  type Command,
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

const print = (lines: readonly string[]): void => void process.stdout.write(`${lines.join("\n")}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

const context = { config: configOfProcess, progress: complain };

/** Failures go to standard error, so that what a script reads is an answer. */
function report({ exitCode, lines, data }: CommandResult, isJson: boolean): number {
  if (isJson) print([JSON.stringify(data)]);
  else if ("error" in data) complain(lines.join("\n"));
  else print(lines);
  return exitCode;
}

async function runCommand(command: Command, rest: readonly string[]): Promise<number> {
  const parsed = parseWords(command, rest);
  if (parsed.options["help"] === true) {
    print(helpOf(command));
    return 0;
  }
  const result = await command.run(context, parsed).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    return failed(error);
  });
  if (result === undefined) return 0;
  const event = typeof command.row === "function" && !("error" in result.data) ? command.row(result) : undefined;
  if (event !== undefined) await recordCommand(configOfProcess(), event, complain);
  return report(result, parsed.options["json"] === true);
}

async function main(words: readonly string[]): Promise<number> {
  // What is written there, databases and journals, is readable by its owner alone.
  process.umask(0o077);
  if (words.length === 0 || ["help", "--help", "-h"].includes(words[0] ?? "")) {
    print(programHelp(COMMANDS));
    return words.length === 0 ? 2 : 0;
  }
  const found = findCommand(COMMANDS, words[0] === "--version" ? ["version"] : words);
  if (found !== undefined) return runCommand(found.command, found.rest);
  const near = COMMANDS.filter(({ name }) => name.split(" ")[0] === words[0]).map(({ name }) => `turnpike ${name}`);
  throw new UsageError(
    near.length === 0
      ? `There is no command "${words.join(" ")}". See: turnpike --help`
      : `"${words.join(" ")}" is not complete. One of: ${near.join(", ")}`,
  );
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  complain(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof UsageError ? error.exitCode : USAGE_EXIT_CODE;
}
