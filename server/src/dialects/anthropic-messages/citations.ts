/** Citations of web pages in Anthropic's format, both ways (platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool). */
import { isObject, textOf } from "../json/fields.ts";
import { OWN_SEARCH_ID, UNSIGNED } from "./signature.ts";
import type { Citation, JsonObject, SearchPart } from "../neutral/neutral.ts";

/**
 * A citation with an address: of a search or of a search result the client gave. Those of documents point into the client's own
 * request and have no place with other vendors: undefined.
 */
export function citationOf(value: unknown): Citation | undefined {
  if (!isObject(value)) return undefined;
  const url = textOf(value["url"]) || textOf(value["source"]);
  if (url === "") return undefined;
  return { url, title: textOf(value["title"]), quote: textOf(value["cited_text"]) };
}

/** As a field to spread into a text part. */
export function citationsOf(value: unknown): { citations?: readonly Citation[] } {
  if (!Array.isArray(value)) return {};
  const citations = value.map(citationOf).filter((citation) => citation !== undefined);
  return citations.length === 0 ? {} : { citations };
}

/** The index into the vendor's own search is its secret, and empty for another's search. */
export const citationFields = ({ url, title, quote }: Citation): JsonObject => ({
  type: "web_search_result_location",
  url,
  title,
  cited_text: quote,
  encrypted_index: "",
});

/** The two blocks of a search that the gateway made: the question, and the pages. By their marks they are known again when they come back. */
export function searchBlocks({ id, query, pages, error }: SearchPart): readonly [use: JsonObject, result: JsonObject] {
  const toolUseId = `${OWN_SEARCH_ID}${id.replace(/[^A-Za-z0-9_]/g, "")}`;
  const found = pages.map(({ url, title }) => ({
    type: "web_search_result",
    url,
    title,
    encrypted_content: UNSIGNED,
    page_age: null,
  }));
  return [
    { type: "server_tool_use", id: toolUseId, name: "web_search", input: { query }, caller: { type: "direct" } },
    {
      type: "web_search_tool_result",
      tool_use_id: toolUseId,
      content: error === undefined ? found : { type: "web_search_tool_result_error", error_code: error },
      caller: { type: "direct" },
    },
  ];
}
