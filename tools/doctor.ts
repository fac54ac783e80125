/**
 * `npm run doctor -- <program> <address> [key | -]`: plays the first calls of a coding agent against a gateway, from outside, and says what fails and how to
 * mend it. The rules are the console's own. The key is read from the third word, from standard input for `-`, or from TURNPIKE_KEY; it is never printed.
 */
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { programOf, PROGRAMS } from "../contract/src/connect/programs.ts";
import { type Asked, report } from "./doctor/report.ts";

/** Words of the command line; throws a sentence where they are none. */
async function readWords(): Promise<Asked> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { model: { type: "string" }, language: { type: "string", default: "en" } },
  });
  const [name = "", address = "", word = ""] = positionals;
  const program = programOf(name);
  if (program === undefined) throw new Error(`Name one of: ${PROGRAMS.map(({ id }) => id).join(", ")}`);
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ""))
    throw new Error("Give the address as the program's configuration has it, such as https://gateway.example/v1");
  const given = word === "-" ? await text(process.stdin) : word || (process.env["TURNPIKE_KEY"] ?? "");
  const key = given.trim();
  if (key === "") throw new Error("Give the key as the third word, on standard input (-), or in TURNPIKE_KEY");
  const language = values.language === "zh" ? "zh" : "en";
  return { program, base: address.replace(/\/+$/, ""), key, model: values.model, language };
}

try {
  const isWell = await report(await readWords(), (line) => void process.stdout.write(`${line}\n`));
  process.exitCode = isWell ? 0 : 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\nnpm run doctor -- <program> <address> [key | -] [--model name]\n`);
  process.exitCode = 2;
}
