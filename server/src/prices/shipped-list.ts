/** The price list that comes with the product, as `npm run generate` writes it beside this file: the package itself would take 7 MB of every process. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ListedProvider, ListedRule, PriceList } from "./listed-models.ts";

/** One line of the file: its version, a provider with those whose models it has too, or a rule of the provider last named. */
export type ListLine =
  | { version: string; date: string }
  | { provider: string; besides: readonly string[] }
  | ListedRule;

/** The file as it is stored with each version of the product. */
export interface ListFile {
  text: string;
  hash: string;
  /** Of genai-prices. */
  version: string;
  /** When that was published: YYYY-MM-DD. */
  date: string;
}

/** Reads the file; two milliseconds. */
export function readListFile(): ListFile {
  const text = readFileSync(new URL("listed-models.jsonl", import.meta.url), "utf8");
  return { text, hash: createHash("sha256").update(text).digest("hex"), ...headOf(text) };
}

/** Version and day of a list's text; both "" where its first line does not say. */
export function headOf(text: string): { version: string; date: string } {
  const head = JSON.parse(text.slice(0, text.indexOf("\n"))) as { version?: string; date?: string };
  return { version: head.version ?? "", date: head.date ?? "" };
}

/** The list of a text that tools/price-list.ts wrote, now or for an older version of the product. */
export function listOfText(text: string): PriceList {
  const providers = new Map<string, ListedProvider>();
  let rules: ListedRule[] = [];
  for (const line of text.trim().split("\n")) {
    const read = JSON.parse(line) as ListLine; // tools/price-list.ts writes no others
    if ("match" in read) rules.push(read);
    else if ("provider" in read) providers.set(read.provider, { besides: read.besides, rules: (rules = []) });
  }
  return { providers };
}

let shipped: PriceList | undefined;

/** The product's own list, read with the first use. */
export const shippedList = (): PriceList => (shipped ??= listOfText(readListFile().text));

// The price list that this process prices by: the product's own until the snapshot has read what administrators accepted over it.

let inForce: PriceList | undefined;

/** One process serves one database, so there is one. */
export const listInForce = (): PriceList => inForce ?? shippedList();

/** Called with each list that the snapshot loads. */
export const setListInForce = (list: PriceList): void => void (inForce = list);
