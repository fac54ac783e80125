/** One search of the web through the operator's provider: asked under the address policy, bounded in time and bytes, its pages as plain text. */
import type { SEARCH_PROVIDERS, SearchProviderName } from "../../../contract/src/options/web-search-options.ts";
import { askUpstream, type WholeAnswer } from "../upstream/ask.ts";
import type { UpstreamClient } from "../upstream/client.ts";
import { UpstreamFault } from "../upstream/fault.ts";
import { parseObject } from "../util/json-read.ts";
import { brave } from "./brave.ts";
import { exa } from "./exa.ts";
import { isWithin, plainText } from "./page-text.ts";
import type { FoundPage, SearchProvider, SearchQuestion } from "./search-provider.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

const PROVIDERS: Readonly<Record<SearchProviderName, SearchProvider>> = { searxng, brave, tavily, exa };

const SEARCH_MS = 10_000;
const ANSWER_BYTES = 1_048_576;
/** Characters; Brave takes no longer question (api-dashboard.search.brave.com/app/documentation/web-search/query). */
const QUERY_LENGTH = 400;
const TITLE_LENGTH = 200;
const TEXT_LENGTH = 1_500;
const URL_LENGTH = 2_048;

interface SearchOptions {
  WebSearchProvider: (typeof SEARCH_PROVIDERS)[number];
  WebSearchAddress: string;
  WebSearchKey: string;
}

/** The provider of searches, its address and its key. */
export interface SearchPlace {
  readonly provider: SearchProvider;
  readonly address: string;
  readonly key: string;
}

/** Undefined where the operator named no provider, or not all that it needs. */
export function searchPlace(options: SearchOptions): SearchPlace | undefined {
  if (options.WebSearchProvider === "none") return undefined;
  const provider = PROVIDERS[options.WebSearchProvider];
  const address = options.WebSearchAddress || provider.address;
  const key = options.WebSearchKey;
  return address === "" || (provider.needsKey && key === "") ? undefined : { provider, address, key };
}

/** A page that was found, as plain text within its bounds. */
export interface WebPage {
  url: string;
  title: string;
  text: string;
}

/** Why there are no pages, in the words of platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool (errors). */
export type SearchError =
  | "invalid_tool_input"
  | "query_too_long"
  | "too_many_requests"
  | "unavailable"
  | "max_uses_exceeded";

export type SearchOutcome = { pages: readonly WebPage[] } | { error: SearchError };

/** The page where its address is one of the web, without a login. */
function pageOf({ url, title, text }: FoundPage): WebPage | undefined {
  const parsed = typeof url === "string" && url.length <= URL_LENGTH ? URL.parse(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== "" || parsed.password !== "")
    return undefined;
  return { url: parsed.href, title: plainText(title, TITLE_LENGTH), text: plainText(text, TEXT_LENGTH) };
}

/** The pages of an answer that the question allows, each once: providers may read past what they were asked to keep to. */
function allowedPages(found: readonly FoundPage[], question: SearchQuestion): WebPage[] {
  const { allowedDomains: allowed, blockedDomains: blocked } = question;
  const pages = found
    .map(pageOf)
    .filter((page) => page !== undefined)
    .filter(({ url }) => allowed.length === 0 || allowed.some((domain) => isWithin(url, domain)))
    .filter(({ url }) => !blocked.some((domain) => isWithin(url, domain)));
  return [...new Map(pages.map((page) => [page.url, page])).values()].slice(0, question.results);
}

function read({ provider }: SearchPlace, { status, body }: WholeAnswer, question: SearchQuestion): SearchOutcome {
  if (status === 429) return { error: "too_many_requests" };
  const found = status === 200 ? provider.pagesOf(parseObject(body) ?? {}) : undefined;
  return found === undefined ? { error: "unavailable" } : { pages: allowedPages(found, question) };
}

/** Searches; `signal` gives it up. Never rejects but for faults of this program: what fails is an error for the model to read. */
export async function searchWeb(
  upstream: UpstreamClient,
  place: SearchPlace,
  question: SearchQuestion,
  signal: AbortSignal,
): Promise<SearchOutcome> {
  if (question.query === "") return { error: "invalid_tool_input" };
  if (question.query.length > QUERY_LENGTH) return { error: "query_too_long" };
  const { method, path, headers, body } = place.provider.request(question, place.key);
  const json = body === null ? [] : ["content-type", "application/json"];
  try {
    const answer = await askUpstream(
      upstream,
      {
        method,
        url: `${place.address}${path}`,
        headers: ["accept", "application/json", "user-agent", "Turnpike", ...json, ...headers],
        body: body === null ? null : Buffer.from(JSON.stringify(body)),
        proxy: "",
        firstByteTimeoutMs: SEARCH_MS,
        idleTimeoutMs: SEARCH_MS,
      },
      { bytes: ANSWER_BYTES, totalMs: SEARCH_MS, signal },
    );
    return read(place, answer, question);
  } catch (error) {
    if (error instanceof UpstreamFault) return { error: "unavailable" };
    throw error;
  }
}

/** What a try looks for: words that every index has pages for. */
const TRIED: SearchQuestion = {
  query: "weather forecast",
  results: 3,
  allowedDomains: [],
  blockedDomains: [],
  country: "",
};

/** One search by these options, for who sets them: how many pages were found, or why none; undefined where not all is set. */
export async function trySearch(
  upstream: UpstreamClient,
  options: SearchOptions,
): Promise<{ pages: number } | { error: SearchError } | undefined> {
  const place = searchPlace(options);
  if (place === undefined) return undefined;
  const found = await searchWeb(upstream, place, TRIED, new AbortController().signal);
  return "error" in found ? found : { pages: found.pages.length };
}
