/** Accepted differences, each with its reason: they count as whole, and are listed in docs/corpus.md. */
import { isDeepStrictEqual } from "node:util";
import type { Difference } from "./compare.ts";
import type { HeardCall } from "./heard.ts";
import type { Outcome } from "./replay.ts";

export interface Explanation {
  name: string;
  reason: string;
  applies(difference: Difference, outcome: Outcome): boolean;
}

const has = ({ recorded }: Outcome, part: RegExp): boolean =>
  recorded?.special.some((each) => part.test(each)) === true;
const asText = (value: unknown): string => (typeof value === "string" ? value : "");

const PICTURE = /!\[[^\]]*\]\((?:data:|https?:)[^)]*\)/g;
const squeezed = (text: string): string => text.replaceAll(/\s+/g, "");
const CODE = /```[^`]*```/g;

/** True where the text is what was recorded, or a cut stream its beginning, but for what the patterns find. */
function isSameWithout({ kind, expected, actual }: Difference, patterns: readonly RegExp[]): boolean {
  const rest = squeezed(patterns.reduce((text, pattern) => text.replaceAll(pattern, ""), asText(actual)));
  const recorded = squeezed(asText(expected));
  return kind === "text" ? rest === recorded : kind === "cut" && recorded.startsWith(rest);
}

/** Calls as a format without custom tools has them: functions with one field. */
const asFunctions = (calls: unknown, field: "input" | "arguments"): readonly HeardCall[] =>
  (calls as readonly HeardCall[]).map(({ name, input }) => ({
    name,
    input: typeof input === "string" ? { [field]: input } : input,
  }));

const withObjects = (calls: unknown): readonly HeardCall[] =>
  (calls as readonly HeardCall[]).filter(({ input }) => typeof input !== "string");

const hasBrokenArguments = ({ recorded }: Outcome): boolean =>
  recorded?.calls.some(({ input }) => typeof input === "string") === true;

export const EXPLANATIONS: readonly Explanation[] = [
  {
    name: "the library's own",
    reason: "the library makes the same of the recorded bytes without a relay between, in the same format",
    applies: ({ isLibrarys }) => isLibrarys === true,
  },
  {
    name: "pictures as Markdown",
    reason: "formats without pictures in answers have them as Markdown in the text, which is otherwise the same",
    applies: (difference, outcome) =>
      has(outcome, /inlineData|image_generation/) && isSameWithout(difference, [PICTURE]),
  },
  {
    name: "code that the vendor ran",
    reason:
      "formats without parts for it have the code and its output as blocks of code in the text, which is otherwise the same",
    applies: (difference, outcome) =>
      has(outcome, /executableCode|codeExecutionResult/) && isSameWithout(difference, [CODE, PICTURE]),
  },
  {
    name: "why a request was refused",
    reason: "Claude explains a refusal beside its answer; other formats have these words as the refusal",
    applies: ({ kind, expected, actual }, outcome) =>
      kind === "text" &&
      outcome.recorded?.special.includes(`refusal: ${asText(actual).slice(asText(expected).length)}`) === true,
  },
  {
    name: "custom tools",
    reason: "a client of a format without custom tools gets the call as a function with one field, `input`",
    applies: ({ kind, expected, actual }, outcome) =>
      kind === "tools" &&
      has(outcome, /^custom_tool_call$/) &&
      isDeepStrictEqual(asFunctions(expected, "input"), actual),
  },
  {
    name: "arguments that are no JSON",
    reason:
      "Messages, whose arguments are objects, has the text in one field, `arguments`; Gemini names it in `finishMessage`",
    applies: ({ kind, expected, actual }, outcome) =>
      kind === "tools" &&
      hasBrokenArguments(outcome) &&
      (isDeepStrictEqual(asFunctions(expected, "arguments"), actual) ||
        (outcome.client === "gemini" && isDeepStrictEqual(withObjects(expected), actual))),
  },
  {
    name: "custom tools of chat completions",
    reason: "refused by name before anything is sent: toward Responses they are not translated",
    applies: ({ kind, actual }, { recorded, client, recording }) =>
      kind === "error" &&
      client === "openai-chat" &&
      recording.format === "openai-responses" &&
      recorded?.special.includes("custom_tool_call") === true &&
      asText(actual).includes("has the value 'custom': this model takes tools of type 'function' only"),
  },
  {
    name: "calls before a plain end",
    reason: "other formats say of an answer with calls that it has them, where Claude's ends plainly after them",
    applies: ({ kind, expected, actual }, { recorded }) =>
      kind === "finish" && expected === "stop" && actual === "tools" && (recorded?.calls.length ?? 0) > 0,
  },
  {
    name: "an end that was not said",
    reason: "the recording does not say how the answer ended; formats that have to say it have a plain end",
    applies: ({ kind, expected, actual }) =>
      kind === "finish" && expected === "" && (actual === "stop" || actual === "tools"),
  },
  {
    name: "a refusal of OpenAI",
    reason: "Messages and Gemini have no part for a refusal, and say it as the reason of the end",
    applies: ({ kind, expected, actual }, outcome) =>
      kind === "finish" && expected === "stop" && actual === "filter" && has(outcome, /^own refusal$/),
  },
];

/** The explanation of a difference; undefined where it is a fault. */
export const explanationOf = (difference: Difference, outcome: Outcome): Explanation | undefined =>
  EXPLANATIONS.find(({ applies }) => applies(difference, outcome));
