/** Citations in the Responses API: annotations of type url_citation, both ways (platform.openai.com/docs/guides/tools-web-search). */
import { isObject, numberOf, textOf } from "../json/fields.ts";
import type { Citation, JsonObject } from "../neutral/neutral.ts";

/** A url_citation; undefined for citations of files stored at the vendor. */
export function citationOf(value: unknown): Citation | undefined {
  if (!isObject(value) || value["type"] !== "url_citation") return undefined;
  const [start, end] = [numberOf(value["start_index"]), numberOf(value["end_index"])];
  return {
    url: textOf(value["url"]),
    title: textOf(value["title"]),
    quote: "",
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
  };
}

/** One annotation of a text of so many characters; a citation that names no place stands behind all of it. */
export const annotationOf = ({ url, title, start, end }: Citation, textLength: number): JsonObject => ({
  type: "url_citation",
  url,
  title,
  start_index: start ?? 0,
  end_index: end ?? textLength,
});
