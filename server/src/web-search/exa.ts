/** Exa (docs.exa.ai/reference/search): a question in JSON, which gives the beginning of each page's text where it is asked for it. */
import { isObject } from "../util/json-read.ts";
import type { SearchProvider } from "./search-provider.ts";

/** Characters of each page. */
const TEXT_CHARACTERS = 1_500;

export const exa: SearchProvider = {
  address: "https://api.exa.ai",
  needsKey: true,
  request: ({ query, results, allowedDomains, blockedDomains, country }, key) => ({
    method: "POST",
    path: "/search",
    headers: ["x-api-key", key],
    body: {
      query,
      numResults: results,
      contents: { text: { maxCharacters: TEXT_CHARACTERS } },
      ...(allowedDomains.length === 0 ? {} : { includeDomains: allowedDomains }),
      ...(blockedDomains.length === 0 ? {} : { excludeDomains: blockedDomains }),
      ...(country === "" ? {} : { userLocation: country }),
    },
  }),
  pagesOf({ results }) {
    if (!Array.isArray(results)) return undefined;
    return results.filter(isObject).map(({ url, title, text }) => ({ url, title, text }));
  },
};
