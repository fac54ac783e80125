/** Tavily (docs.tavily.com/documentation/api-reference/endpoint/search): a question in JSON, with fields for domains. */
import { isObject } from "../util/json-read.ts";
import type { SearchProvider } from "./search-provider.ts";

export const tavily: SearchProvider = {
  address: "https://api.tavily.com",
  needsKey: true,
  request: ({ query, results, allowedDomains, blockedDomains }, key) => ({
    method: "POST",
    path: "/search",
    headers: ["authorization", `Bearer ${key}`],
    body: {
      query,
      max_results: results,
      // A deeper search costs twice as much, and an answer of its own is not asked for.
      search_depth: "basic",
      ...(allowedDomains.length === 0 ? {} : { include_domains: allowedDomains }),
      ...(blockedDomains.length === 0 ? {} : { exclude_domains: blockedDomains }),
    },
  }),
  pagesOf({ results }) {
    if (!Array.isArray(results)) return undefined;
    return results.filter(isObject).map(({ url, title, content: text }) => ({ url, title, text }));
  },
};
