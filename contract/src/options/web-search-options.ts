/** The options of web searches that the gateway makes for models without one, which the catalogue lists: who searches, for what, how often. */
import { choiceOption, decimalOption, integerOption, textOption, urlOption } from "./kinds.ts";

/** The search providers; `none` leaves a client's search to the vendors that have one. */
export const SEARCH_PROVIDERS = ["none", "searxng", "brave", "tavily", "exa"] as const;
export type SearchProviderName = Exclude<(typeof SEARCH_PROVIDERS)[number], "none">;

/** The key and what users look for are sent there: who may set the address could read them. What a search costs stands with it. */
const WHERE = { section: "web_search", owner: "root" } as const;

/** The most searches that one call may make, whatever its client allows. */
const MOST_SEARCHES = 20;
/** The most results that a model is given of one search. */
const MOST_RESULTS = 10;

/** The section Web search. */
export const WEB_SEARCH_OPTIONS = {
  WebSearchProvider: choiceOption(SEARCH_PROVIDERS, "none", WHERE),
  /** Needed for SearXNG; elsewhere empty for the provider's own. */
  WebSearchAddress: urlOption({ ...WHERE, trimsSlash: true }),
  WebSearchKey: textOption("", { ...WHERE, isSecret: true }),
  /** USD per 1,000 searches. */
  WebSearchPrice: decimalOption("10", { ...WHERE, minimum: 0, maximumDecimals: 6 }),
  WebSearchResults: integerOption(5, { ...WHERE, minimum: 1, maximum: MOST_RESULTS }),
  WebSearchesPerCall: integerOption(5, { ...WHERE, minimum: 1, maximum: MOST_SEARCHES }),
};
