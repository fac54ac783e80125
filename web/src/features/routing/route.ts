/** The route of the page that explains routing: its address (a described call, or a past one by its request id), texts and page. */
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, positive, searchReader, text } from "../../lib/search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

/** Every page loads this file with the router, so it takes no more than types from the contract. */
export const OPERATIONS = [
  "chat",
  "completions",
  "embeddings",
  "rerank",
  "moderations",
  "images",
  "image_edits",
  "speech",
  "transcriptions",
  "translations",
  "realtime",
  "drawings",
  "songs",
  "videos",
] as const;

export const routingSearch = searchReader({
  model: text,
  user: text,
  token: positive,
  group: text,
  /** Tokens of the input. */
  input: positive,
  operation: oneOf(...OPERATIONS),
  /** Goes before the others. */
  request: text,
});
export type RoutingSearch = ReturnType<typeof routingSearch>;

export const routingRoute = {
  path: "/channel/route",
  validateSearch: routingSearch,
  // The reasons have one set of words, here and in receipts.
  loader: () => loadTexts("routing", "logs"),
  component: lazyPage(() => import("./page.tsx"), "RoutingPage"),
} as const;
