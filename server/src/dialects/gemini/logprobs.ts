/** Gemini's logprobsResult <-> choices[].logprobs as OpenAI writes it, the neutral form. */
import { isObject, listOf, numberOf, objectOf, textOf } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";

function tokenOf(candidate: unknown): JsonObject {
  const { token, logProbability } = objectOf(candidate);
  const text = textOf(token);
  return { token: text, logprob: numberOf(logProbability) ?? 0, bytes: [...Buffer.from(text)] };
}

/** Undefined where the candidate has none. */
export function logprobsOf(candidate: JsonObject): JsonObject | undefined {
  const result = candidate["logprobsResult"];
  if (!isObject(result)) return undefined;
  const top = listOf(result["topCandidates"]);
  const content = listOf(result["chosenCandidates"]).map((chosen, index) => ({
    ...tokenOf(chosen),
    top_logprobs: listOf(objectOf(top[index])["candidates"]).map(tokenOf),
  }));
  return { content, refusal: null };
}

const candidateOf = (entry: JsonObject): JsonObject => ({
  token: textOf(entry["token"]),
  logProbability: numberOf(entry["logprob"]) ?? 0,
});

/** logprobsResult for a client. */
export function logprobsResult(logprobs: JsonObject): JsonObject {
  const content = listOf(logprobs["content"]).filter(isObject);
  const chosenCandidates = content.map(candidateOf);
  const topCandidates = content.map((entry) => ({
    candidates: listOf(entry["top_logprobs"]).filter(isObject).map(candidateOf),
  }));
  return { chosenCandidates, topCandidates };
}
