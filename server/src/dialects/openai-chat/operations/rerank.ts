/** Rerank requests as clients of this path send them (jina.ai/reranker), for vendors with another format. */
import { isObject, listOf, numberOf, objectOf, textOf } from "../../json/fields.ts";
import type { JsonObject } from "../../neutral/neutral.ts";

/** A document of the request as text: itself, its field `text`, or all of its fields as JSON. */
function documentText(document: unknown): string {
  if (typeof document === "string") return document;
  return textOf(objectOf(document)["text"]) || JSON.stringify(document);
}

export const documentTexts = ({ documents }: JsonObject): string[] => listOf(documents).map(documentText);

/** The vendor's results, with the request's documents where the client wants them and the vendor sent none. */
export function rankedResults(
  results: readonly unknown[],
  { documents, return_documents: wants }: JsonObject,
): JsonObject[] {
  return results.filter(isObject).map((result) => {
    const document = listOf(documents)[numberOf(result["index"]) ?? -1];
    if (wants !== true || result["document"] !== undefined || document === undefined) return result;
    return { ...result, document: typeof document === "string" ? { text: document } : document };
  });
}
