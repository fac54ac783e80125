/** What the doctor prints of one program, line by line as the calls come back; tools/doctor.ts reads the command line for it. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { firstModel } from "../../contract/src/connect/programs.ts";
import type { Program } from "../../contract/src/connect/program.ts";
import { callsOf, type Patient } from "../../contract/src/doctor/calls.ts";
import { examine, type Result, type Transport } from "../../contract/src/doctor/examine.ts";
import { httpTransport } from "../../contract/src/doctor/http-transport.ts";
import { observe } from "../../contract/src/doctor/observation.ts";
import { CHARGED_STEPS, type Severity, worstOf } from "../../contract/src/doctor/steps.ts";
import { openSocket } from "./socket.ts";

interface Texts {
  steps: Readonly<Record<string, string>>;
  findings: Readonly<Record<string, { title: string; repair: string }>>;
}

/** What is asked on the command line. */
export interface Asked {
  program: Program;
  /** The address as the program's configuration has it, without a slash at its end. */
  base: string;
  key: string;
  /** Chosen from the list of models where absent. */
  model: string | undefined;
  language: "en" | "zh";
}

/** The console's own words, as they are shown there. */
function textsOf(language: "en" | "zh"): Texts {
  const path = fileURLToPath(new URL(`../../web/src/locales/${language}/connect.json`, import.meta.url));
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

/** What is said around the findings, which are the console's. */
const WORDS = {
  en: {
    charged: (count: number) => `${count} of the calls are charged like any other.`,
    noModel: "no model chosen",
    expected: "as expected",
    again: "As above:",
    stopped: "The other calls were not made: they need what failed here.",
    ends: {
      ok: "Nothing is wrong.",
      note: "Nothing is wrong; the notes are for your information.",
      warning: "It works, but see the warnings.",
      failure: "Something failed. Mend the first failure first: those after it often come from it.",
    },
  },
  zh: {
    charged: (count: number) => `其中 ${count} 个调用按普通调用计费。`,
    noModel: "未选择模型",
    expected: "符合预期",
    again: "同上：",
    stopped: "其余调用未执行：它们依赖此处失败的步骤。",
    ends: {
      ok: "一切正常。",
      note: "一切正常；备注仅供您参考。",
      warning: "可以使用，但请查看警告。",
      failure: "有步骤失败。请您先解决第一个失败：后面的失败往往由它引起。",
    },
  },
} as const;

/** The lines of one call; a finding that was `shown` before is not explained again. */
function linesOf({ observation, finding }: Result, language: "en" | "zh", shown: Set<string>): string[] {
  const [texts, words] = [textsOf(language), WORDS[language]];
  const { step, status, ms, message, requestId } = observation;
  const isOk = finding.severity === "ok";
  // Some calls are answered with an error where all is well, and cost nothing so.
  const answered = status === 0 ? "-" : isOk && status >= 400 ? `${status} ${words.expected}` : String(status);
  const first = `${MARKS[finding.severity]}  ${texts.steps[step] ?? step}: ${answered}, ${Math.round(ms)} ms`;
  if (isOk) return [first];
  const { title, repair } = texts.findings[finding.id] ?? { title: finding.id, repair: "" };
  const said = shown.has(finding.id) ? [`${words.again} ${title}`] : [title, repair, message];
  shown.add(finding.id);
  const more = [...said, requestId && `request id: ${requestId}`].filter((line) => line !== "");
  return [first, ...more.map((line) => `         ${line}`)];
}

/** Plays the program's first calls, and writes each line with what was found as soon as it is; true where nothing failed. */
export async function report(
  { program, base, key, model, language }: Asked,
  write: (line: string) => void,
): Promise<boolean> {
  const words = WORDS[language];
  const unnamed = { family: program.family, base, key, model: "" };
  const patient = { ...unnamed, model: model ?? (await pickModel(program, unnamed)) };
  write(`${program.title}, ${base}, ${patient.model || words.noModel}. ${words.charged(CHARGED_STEPS.length)}`);
  const shown = new Set<string>();
  const results = await examine(patient, transport, (result) => linesOf(result, language, shown).forEach(write));
  const steps = new Set(results.map(({ observation }) => observation.step));
  if (callsOf(patient).some(({ step }) => !steps.has(step))) write(words.stopped);
  const worst = worstOf(results.map(({ finding }) => finding));
  write(words.ends[worst]);
  return worst !== "failure";
}
