/**
 * `npm run doctor -- <program> <address> [key | -]`: plays the first calls of a coding agent against a gateway, from outside, and says what fails and how to
 * mend it. The rules are the console's own. The key is read from the third word, from standard input for `-`, or from TURNPIKE_KEY; it is never printed.
 */
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { firstModel, programOf, PROGRAMS } from "../contract/src/connect/programs.ts";
import type { Program } from "../contract/src/connect/program.ts";
import { callsOf, type Patient } from "../contract/src/doctor/calls.ts";
import { examine, type Result, type Transport } from "../contract/src/doctor/examine.ts";
import { httpTransport } from "../contract/src/doctor/http-transport.ts";
import { observe } from "../contract/src/doctor/observation.ts";
import { CHARGED_STEPS, type Severity, worstOf } from "../contract/src/doctor/steps.ts";
import { openSocket } from "./doctor/socket.ts";

interface Texts {
  steps: Readonly<Record<string, string>>;
  findings: Readonly<Record<string, { title: string; repair: string }>>;
}

/** The console's own words, as they are shown there. */
function textsOf(language: "en" | "zh"): Texts {
  const path = fileURLToPath(new URL(`../web/src/locales/${language}/connect.json`, import.meta.url));
  return JSON.parse(readFileSync(path, "utf8")) as Texts;
}

const transport: Transport = {
  ...httpTransport((url, init) => fetch(url, init), { nowMs: Date.now, tickMs: () => performance.now() }),
  openSocket,
};

/** The model to ask: one that the program is made for, of those that the key may call; "" where the list says none. */
async function pickModel(program: Program, patient: Patient): Promise<string> {
  const list = callsOf(patient).find(({ step }) => step === "models");
  const heard = list === undefined ? undefined : await transport.send(list);
  if (list === undefined || heard === undefined || "silence" in heard) return "";
  const { models = [] } = observe({ ...list, family: patient.family }, heard, transport.nowMs());
  return firstModel(program, models);
}

const MARKS: Readonly<Record<Severity, string>> = {
  ok: "ok     ",
  note: "note   ",
  warning: "WARNING",
  failure: "FAILED ",
};

function say({ observation, finding }: Result, texts: Texts): void {
  const { step, status, ms, message, requestId } = observation;
  const words = texts.steps[step] ?? step;
  process.stdout.write(`${MARKS[finding.severity]}  ${words}: ${status === 0 ? "-" : status}, ${Math.round(ms)} ms\n`);
  if (finding.severity === "ok") return;
  const { title, repair } = texts.findings[finding.id] ?? { title: finding.id, repair: "" };
  const lines = [title, repair, message, requestId && `request id: ${requestId}`];
  for (const line of lines) if (line !== "") process.stdout.write(`         ${line}\n`);
}

/** Words of the command line; throws a sentence where they are none. */
async function readWords() {
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
  return { program, base: address.replace(/\/+$/, ""), key, model: values.model, language } as const;
}

async function main(): Promise<number> {
  const { program, base, key, model: named, language } = await readWords();
  const texts = textsOf(language);
  const unnamed = { family: program.family, base, key, model: "" };
  const patient = { ...unnamed, model: named ?? (await pickModel(program, unnamed)) };
  process.stdout.write(`${program.title}, ${base}, ${patient.model || "no model"}; `);
  process.stdout.write(`${CHARGED_STEPS.length} of the calls are charged as any.\n`);
  const results = await examine(patient, transport, (result) => say(result, texts));
  return worstOf(results.map(({ finding }) => finding)) === "failure" ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\nnpm run doctor -- <program> <address> [key | -] [--model name]\n`);
  process.exitCode = 2;
}
