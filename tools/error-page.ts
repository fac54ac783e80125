/** Writes docs/error-codes.md: every code that console and relay answer with, what it means, and what to do about it. */
import { ERRORS } from "../contract/src/error-codes.ts";
import { RELAY_ERRORS } from "../server/src/relay/call/relay-error.ts";
import { CONSOLE_REPAIRS, RELAY_REPAIRS } from "./error-repairs.ts";

interface Refusal {
  status: number;
  message: string;
}

/** Where a message goes over from what is wrong to what to do. */
const TURN =
  /(?:; |: |\. (?=[A-Z])|, (?=(?:please|ask|choose|try|contact|look|check|narrow|end|log in|send|use|add|correct)\b))/;
/** A message that only says what to do. */
const REQUEST = /^(?:Please|Enter|Choose|Set|Accept|Confirm|Narrow|Send)\b/;

const sentence = (text: string): string => {
  const words = text.replace(/^please /i, "").replace(/\.$/, "");
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
};

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

/** What a code means and what to do: from the table of repairs, else from its message, which then says both; undefined where neither does. */
export function explained(
  { message }: Refusal,
  repair: string | undefined,
): { meaning: string; repair: string } | undefined {
  if (repair !== undefined) return { meaning: sentence(message), repair };
  if (REQUEST.test(message)) return { meaning: "Something is missing, or comes first.", repair: sentence(message) };
  const turn = TURN.exec(message);
  if (turn === null) return undefined;
  return {
    meaning: sentence(message.slice(0, turn.index)),
    repair: sentence(message.slice(turn.index + turn[0].length)),
  };
}

/** Codes of one table that nothing says what to do about. */
export const unexplained = (
  refusals: Readonly<Record<string, Refusal>>,
  repairs: Readonly<Record<string, string>>,
): string[] =>
  Object.entries(refusals)
    .filter(([code, refusal]) => explained(refusal, repairs[code]) === undefined)
    .map(([code]) => code);

function table(refusals: Readonly<Record<string, Refusal>>, repairs: Readonly<Record<string, string>>): string[] {
  const rows = Object.entries(refusals).map(([code, refusal]) => {
    const found = explained(refusal, repairs[code]);
    if (found === undefined) throw new Error(`tools/error-repairs.ts has to say what to do about ${code}`);
    return `| \`${code}\` | ${refusal.status} | ${cell(found.meaning)} | ${cell(found.repair)} |`;
  });
  return ["| code | status | meaning | what to do |", "| --- | --- | --- | --- |", ...rows];
}

/** The page. Throws for a code without a repair. */
export function errorPage(): string {
  return [
    "<!-- Made by `npm run generate` from contract/src/error-codes.ts, server/src/relay/call/relay-error.ts and tools/error-repairs.ts; do not edit. -->",
    "",
    "# Error codes",
    "",
    "Every code of a refusal. The code is stable and its sentence is not: programs go by the code. From a symptom to its cause:",
    "[troubleshooting.md](troubleshooting.md).",
    "",
    "## Model calls",
    "",
    "`error.code` in the envelope of the API that was called (`error.details.error_code` for Anthropic's). A code of the upstream's own can stand in",
    "its place where the upstream refused, and where it speaks the client's format so can its whole error, as it came ([clients.md](clients.md#what-clients-rely-on)): the header",
    "`Turnpike-Error` has the code there.",
    "",
    ...table(RELAY_ERRORS, RELAY_REPAIRS),
    "",
    "## The console and its API",
    "",
    "`code` beside `success: false` and `message`. Status 200 is a refusal that says what to do; other statuses mean what they mean in HTTP.",
    "",
    ...table(ERRORS, CONSOLE_REPAIRS),
    "",
  ].join("\n");
}
