/** What the address of the route page may ask for: a call as somebody describes it, or a past one by its request id. */
import { oneOf, positive, searchReader, text } from "../../lib/search.ts";

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
