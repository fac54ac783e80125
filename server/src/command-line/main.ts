/** Entry point of `turnpike`: runs the command line of this process and exits with its code. */
import { runCommandLine } from "./run.ts";

// What is written there, databases and journals, is readable by its owner alone.
process.umask(0o077);
process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  print: (text) => void process.stdout.write(`${text}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
});
