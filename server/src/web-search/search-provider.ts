/** The interface of a search provider: a request for one query, and the pages in its answer; one file of this folder each. */

/** What is looked for, within its bounds. */
export interface SearchQuestion {
  query: string;
  /** How many pages at most. */
  results: number;
  /** Host names, with or without a path; empty for the whole web. */
  allowedDomains: readonly string[];
  blockedDomains: readonly string[];
  /** Two letters of ISO 3166, in capitals, where the client named the country of its user; "" elsewhere. */
  country: string;
}

/** A page as the provider describes it: texts as they came. */
export interface FoundPage {
  url: unknown;
  title: unknown;
  text: unknown;
}

export interface SearchRequest {
  method: "GET" | "POST";
  /** Path and query behind the address. */
  path: string;
  /** Flat list of names and values. */
  headers: readonly string[];
  body: object | null;
}

export interface SearchProvider {
  /** Where it is asked unless the operator names another address; "" where it has none of its own. */
  address: string;
  needsKey: boolean;
  request(question: SearchQuestion, key: string): SearchRequest;
  /** The pages in its answer, the best first; undefined where the answer is none. */
  pagesOf(answer: Readonly<Record<string, unknown>>): readonly FoundPage[] | undefined;
}

/** The query with the words by which search engines keep to hosts, for providers without a field for them. */
export function withSites({ query, allowedDomains, blockedDomains }: SearchQuestion): string {
  const allowed = allowedDomains.map((domain) => `site:${domain}`).join(" OR ");
  return [query, allowed, ...blockedDomains.map((domain) => `-site:${domain}`)].filter((part) => part !== "").join(" ");
}
