/** Tests of web searches by each provider: its request, the pages read from its answer, and every bound. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseOptions } from "../../../contract/src/options/options.ts";
import { type SearchServer, startSearchServer } from "../../../tests/support/relay/search-server.ts";
import { createUpstreamClient, type UpstreamClient } from "../upstream/client.ts";
import { isDomain, isWithin, plainText } from "./page-text.ts";
import type { SearchQuestion } from "./search-provider.ts";
import { searchPlace, searchWeb } from "./search.ts";

let server: SearchServer;
let upstream: UpstreamClient;
let allowsPrivate = true;

beforeEach(async () => {
  allowsPrivate = true;
  server = await startSearchServer();
  server.pages = [
    { url: "https://a.example/news", title: "A <b>title</b>", text: "Words &amp; <strong>more</strong>" },
  ];
  upstream = createUpstreamClient({ allowsPrivate: () => allowsPrivate, connectTimeoutMs: 1_000 });
});
afterEach(async () => {
  await upstream.close();
  await server.close();
});

const QUESTION: SearchQuestion = { query: "what", results: 3, allowedDomains: [], blockedDomains: [], country: "" };

const optionsOf = (WebSearchProvider: string, more: Record<string, string> = {}) =>
  parseOptions(
    new Map(
      Object.entries({ WebSearchProvider, WebSearchAddress: server.url, WebSearchKey: "k3y-of-search", ...more }),
    ),
  );

function search(provider: string, question: Partial<SearchQuestion> = {}, signal = new AbortController().signal) {
  const place = searchPlace(optionsOf(provider));
  if (place === undefined) throw new Error("no provider is configured");
  return searchWeb(upstream, place, { ...QUESTION, ...question }, signal);
}

const FILTERED = { allowedDomains: ["a.example"], blockedDomains: ["b.a.example"], country: "CH" };
const SITES = "what site:a.example -site:b.a.example";

describe.each([
  ["searxng", "GET", "/search", { authorization: "Bearer k3y-of-search" }, { q: SITES, format: "json" }, undefined],
  [
    "brave",
    "GET",
    "/web/search",
    { "x-subscription-token": "k3y-of-search" },
    { q: SITES, count: "3", country: "CH" },
    undefined,
  ],
  [
    "tavily",
    "POST",
    "/search",
    { authorization: "Bearer k3y-of-search" },
    {},
    {
      query: "what",
      max_results: 3,
      search_depth: "basic",
      include_domains: ["a.example"],
      exclude_domains: ["b.a.example"],
    },
  ],
  [
    "exa",
    "POST",
    "/search",
    { "x-api-key": "k3y-of-search" },
    {},
    {
      query: "what",
      numResults: 3,
      contents: { text: { maxCharacters: 1500 } },
      includeDomains: ["a.example"],
      excludeDomains: ["b.a.example"],
      userLocation: "CH",
    },
  ],
])("%s", (provider, method, path, headers, query, body) => {
  test("is asked in its own words, and answers with pages", async () => {
    expect(await search(provider, FILTERED)).toEqual({
      pages: [{ url: "https://a.example/news", title: "A title", text: "Words & more" }],
    });
    const [asked] = server.asked;
    expect(asked).toMatchObject({ method, path, headers });
    expect(Object.fromEntries(asked?.query ?? [])).toEqual(query);
    expect(asked?.body).toEqual(body);
  });

  test("is an error where it fails, has no JSON, or is asked too often", async () => {
    server.rawBody = "<html>";
    expect(await search(provider)).toEqual({ error: "unavailable" });
    server.status = 500;
    expect(await search(provider)).toEqual({ error: "unavailable" });
    server.status = 429;
    expect(await search(provider)).toEqual({ error: "too_many_requests" });
  });
});

test("a place is complete with what its provider needs", () => {
  expect(searchPlace(optionsOf("none"))).toBeUndefined();
  expect(searchPlace(optionsOf("searxng", { WebSearchAddress: "" }))).toBeUndefined();
  expect(searchPlace(optionsOf("searxng", { WebSearchKey: "" }))).toBeDefined();
  expect(searchPlace(optionsOf("brave", { WebSearchKey: "" }))).toBeUndefined();
  expect(searchPlace(optionsOf("brave", { WebSearchAddress: "" }))?.address).toBe(
    "https://api.search.brave.com/res/v1",
  );
});

test("pages keep to the domains, come once, and are no more than asked for", async () => {
  const page = (url: string) => ({ url, title: "t", text: "x" });
  server.pages = [
    "https://a.example/1",
    "https://a.example/1",
    "https://evil-a.example/",
    "https://deep.a.example/2",
    "ftp://a.example/",
    "https://user:pass@a.example/",
    "javascript:alert(1)",
    "https://b.a.example/",
    "https://a.example/3",
    "https://a.example/4",
  ].map(page);
  const found = await search("searxng", FILTERED);
  expect("pages" in found && found.pages.map(({ url }) => url)).toEqual([
    "https://a.example/1",
    "https://deep.a.example/2",
    "https://a.example/3",
  ]);
});

test("a question has its bounds, and no answer is read without end", async () => {
  expect(await search("brave", { query: "" })).toEqual({ error: "invalid_tool_input" });
  expect(await search("brave", { query: "x".repeat(401) })).toEqual({ error: "query_too_long" });
  expect(server.asked).toEqual([]);
  server.rawBody = " ".repeat(1_048_577);
  expect(await search("brave")).toEqual({ error: "unavailable" });
});

test("a private address is closed unless the operator opened those, and who gives up is not waited for", async () => {
  allowsPrivate = false;
  expect(await search("searxng")).toEqual({ error: "unavailable" });
  expect(server.asked).toEqual([]);
  allowsPrivate = true;
  const giveUp = new AbortController();
  server.before = () => {
    giveUp.abort();
    return new Promise(() => undefined);
  };
  expect(await search("searxng", {}, giveUp.signal)).toEqual({ error: "unavailable" });
});

test("what strangers wrote is plain text in one line within its bound", () => {
  expect(plainText("a\u202eb\u0000c\n d&#39;e&lt;i&gt; <script>x</script>", 100)).toBe("a b c d'e<i> x");
  expect(plainText("x".repeat(50), 10)).toHaveLength(10);
  expect(plainText({ no: "text" }, 10)).toBe("");
});

test.each([
  ["https://a.example/x", "a.example", true],
  ["https://www.a.example/x", "a.example", true],
  ["https://nota.example/x", "a.example", false],
  ["https://a.example/blog/1", "a.example/blog", true],
  ["https://a.example/blogger", "a.example/blog", false],
])("%s within %s: %s", (url, domain, isIn) => expect(isWithin(url, domain)).toBe(isIn));

test.each([
  ["a.example", true],
  ["docs.a.example/guide", true],
  ["*.example", false],
  ["a.example OR site:b.example", false],
  ["https://a.example", false],
  ["localhost", false],
])("%s is a domain: %s", (text, isOne) => expect(isDomain(text)).toBe(isOne));
