/** Reads prompt-cache facts from a call's receipt, for the log and the page of a model: the calling program, and the prompt's cached tokens. */
import { receiptShorthand } from "../../billing/shorthand.ts";
import { objectOf, parseObject, textOf } from "../../util/json-read.ts";

/** A row of an answered call. */
export interface ReceiptRow {
  other: string;
  prompt_tokens: number;
}

/** What is summed up of it. */
export interface CallTokens {
  /** Id of the program that called (contract/src/connect/programs.ts); "" for every other one. */
  client: string;
  prompt_tokens: number;
  /** Of these, the tokens that the upstream read from its cache. */
  cached_tokens: number;
}

/** The first that is a count. */
const countOf = (...values: readonly unknown[]): number => {
  const count = values.find((value) => typeof value === "number");
  return typeof count === "number" && count > 0 ? count : 0;
};

/** The tokens of a call. No upstream can have cached more than the prompt; a row without a receipt has nothing cached. */
export function tokensOf({ other, prompt_tokens: stored }: ReceiptRow): CallTokens {
  const receipt = objectOf(parseObject(receiptShorthand.read(other)));
  const prompt = Number(stored);
  const cached = countOf(objectOf(receipt["usage"])["cacheReadTokens"], receipt["cache_tokens"]);
  return { client: textOf(receipt["client"]), prompt_tokens: prompt, cached_tokens: Math.min(cached, prompt) };
}
