/** Citations in chat completions: annotations of type url_citation, both ways. */
import { isObject, listOf, numberOf, objectOf, textOf } from "../json/fields.ts";
import type { Citation, JsonObject } from "../neutral/neutral.ts";

/** Citations of a message's or a delta's `annotations`; other kinds of annotations are passed over. */
export function citationsOf(annotations: unknown): Citation[] {
  return listOf(annotations).flatMap((each) => {
    if (!isObject(each) || each["type"] !== "url_citation") return [];
    const found = objectOf(each["url_citation"]);
    const [start, end] = [numberOf(found["start_index"]), numberOf(found["end_index"])];
    return [
      {
        url: textOf(found["url"]),
        title: textOf(found["title"]),
        quote: textOf(found["content"]),
        ...(start === undefined ? {} : { start }),
        ...(end === undefined ? {} : { end }),
      },
    ];
  });
}

/**
 * Pages that an answer or a chunk lists beside its choices, as Perplexity does (docs.perplexity.ai/api-reference/chat-completions-post):
 * with titles, or their addresses alone. Their numbers are in the text, so they come after all of it.
 */
export function listedSources({ search_results: results, citations }: JsonObject): Citation[] {
  const found = listOf(results)
    .filter(isObject)
    .map((page) => ({ url: textOf(page["url"]), title: textOf(page["title"]), quote: textOf(page["snippet"]) }));
  const listed =
    found.length > 0 ? found : listOf(citations).map((url) => ({ url: textOf(url), title: "", quote: "" }));
  return listed.filter(({ url }) => /^https?:/i.test(url));
}

/**
 * One annotation. The part's text lies from `partStart` to `partEnd` in the message's; a citation that names no place stands behind
 * all of it.
 */
export function annotationOf(citation: Citation, partStart: number, partEnd: number): JsonObject {
  const { url, title, quote, start, end } = citation;
  return {
    type: "url_citation",
    url_citation: {
      start_index: start === undefined ? partStart : partStart + start,
      end_index: end === undefined ? partEnd : partStart + end,
      title,
      url,
      ...(quote === "" ? {} : { content: quote }),
    },
  };
}
