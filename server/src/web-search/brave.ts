/** Brave Search (api-dashboard.search.brave.com/app/documentation/web-search): a query in the address, the key in a header of its own. */
import { isObject, objectOf } from "../util/json-read.ts";
import { type SearchProvider, withSites } from "./search-provider.ts";

export const brave: SearchProvider = {
  address: "https://api.search.brave.com/res/v1",
  needsKey: true,
  request(question, key) {
    const query = new URLSearchParams({ q: withSites(question), count: String(question.results) });
    if (question.country !== "") query.set("country", question.country);
    return {
      method: "GET",
      path: `/web/search?${query.toString()}`,
      headers: ["x-subscription-token", key],
      body: null,
    };
  },
  pagesOf({ web, type }) {
    const { results } = objectOf(web);
    // A search that finds nothing has no `web`.
    if (!Array.isArray(results)) return type === "search" ? [] : undefined;
    return results.filter(isObject).map(({ url, title, description: text }) => ({ url, title, text }));
  },
};
