/** Reads answers of generateContent, whole and streamed; independent of the relay's own readers. */
import { type Fields, fieldsOf, listOf } from "../../tests/support/clients/client-formats.ts";
import { type Finish, Gathered, type Heard, type HeardUsage, countIn, fieldsIn, stringOf } from "./heard.ts";

const FINISHES: Readonly<Record<string, Finish>> = { MAX_TOKENS: "length" };
/** What Google withholds by its rules, of words and of pictures; other ends are those of the model. */
const FILTERED =
  /^(?:SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|IMAGE_(?:SAFETY|PROHIBITED_CONTENT|RECITATION)|MODEL_ARMOR)$/;

function usageOf(usage: Fields): HeardUsage | undefined {
  const input = countIn(usage, "promptTokenCount") + countIn(usage, "toolUsePromptTokenCount");
  const output = countIn(usage, "candidatesTokenCount") + countIn(usage, "thoughtsTokenCount");
  if (input === 0 && output === 0) return undefined;
  return { input, output, cached: countIn(usage, "cachedContentTokenCount"), written: 0, writtenLong: 0 };
}

/** Sets the value at a path such as `$.items[0].name`; text is added to what stands there. */
function place(whole: Fields, path: string, value: unknown): void {
  const steps = [...path.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
  let at = whole as Record<string | number, unknown>;
  for (const [index, step] of steps.slice(0, -1).entries())
    at = (at[step] ??= typeof steps[index + 1] === "number" ? [] : {}) as Record<string | number, unknown>;
  const last = steps.at(-1) ?? "";
  at[last] = typeof value === "string" && typeof at[last] === "string" ? at[last] + value : value;
}

/** A call, or a piece of one: pieces without a name belong to the one before them. */
function readCall(into: Gathered, call: Fields, key: string): void {
  const name = stringOf(call["name"]);
  if (name !== "") into.openCall = key;
  const found = into.call(into.openCall);
  found.name ||= name;
  found.whole ??= call["args"] ?? {};
  for (const piece of listOf(call["partialArgs"]).map(fieldsOf)) {
    const [, value] = Object.entries(piece).find(([field]) => field.endsWith("Value")) ?? [];
    place(fieldsOf(found.whole), stringOf(piece["jsonPath"]), "nullValue" in piece ? null : value);
  }
}

function readPart(into: Gathered, part: Fields, key: string): void {
  if (typeof part["text"] === "string") into[part["thought"] === true ? "thinking" : "text"] += part["text"];
  if (part["functionCall"] !== undefined) readCall(into, fieldsIn(part, "functionCall"), key);
  for (const name of ["inlineData", "executableCode", "codeExecutionResult", "toolCall", "toolResponse"])
    if (part[name] !== undefined) into.special.push(name === "inlineData" ? name : `own ${name}`);
}

/** A stream's chunks, or a whole answer as the only one. */
export function readGemini(answers: readonly Fields[]): Heard {
  const into = new Gathered();
  for (const [chunk, answer] of answers.entries()) {
    const candidate = fieldsOf(listOf(answer["candidates"])[0]);
    for (const [index, part] of listOf(fieldsIn(candidate, "content")["parts"]).map(fieldsOf).entries())
      readPart(into, part, `${chunk}-${index}`);
    const reason = stringOf(candidate["finishReason"]);
    if (reason !== "") into.finish = FILTERED.test(reason) ? "filter" : (FINISHES[reason] ?? "stop");
    if (stringOf(fieldsIn(answer, "promptFeedback")["blockReason"]) !== "") into.finish = "filter";
    into.usage = usageOf(fieldsIn(answer, "usageMetadata")) ?? into.usage;
  }
  const heard = into.heard();
  return { ...heard, finish: heard.finish === "stop" && heard.calls.length > 0 ? "tools" : heard.finish };
}
