/** SearXNG, a search server of the operator's own (docs.searxng.org/dev/search_api); its `json` format has to be enabled there. */
import { isObject } from "../util/json-read.ts";
import { type SearchProvider, withSites } from "./search-provider.ts";

export const searxng: SearchProvider = {
  address: "",
  // Instances ask for none; one behind a proxy may want it as a bearer token.
  needsKey: false,
  request(question, key) {
    const query = new URLSearchParams({ q: withSites(question), format: "json" });
    return {
      method: "GET",
      path: `/search?${query.toString()}`,
      headers: key === "" ? [] : ["authorization", `Bearer ${key}`],
      body: null,
    };
  },
  pagesOf({ results }) {
    if (!Array.isArray(results)) return undefined;
    return results.filter(isObject).map(({ url, title, content: text }) => ({ url, title, text }));
  },
};
