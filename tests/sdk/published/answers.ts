/** Answers of the relay to clients of OpenAI's forms, checked against the library's published types. */
import type { DialectName } from "../../../server/src/dialects/neutral/neutral.ts";
import { eventsIn, fieldsOf } from "../../support/clients/client-formats.ts";
import { type PublishedName, publishedFaults } from "./schemas.ts";

/** A client's form: where it asks, and what its answers are. */
export interface Form {
  path: string;
  /** The dialect of upstreams whose own bytes it reads. */
  of: DialectName;
  whole: PublishedName;
  event: PublishedName;
}

export const CHAT: Form = { path: "/v1/chat/completions", of: "openai-chat", whole: "chat", event: "chatChunk" };
export const RESPONSES: Form = {
  path: "/v1/responses",
  of: "openai-responses",
  whole: "response",
  event: "responseEvent",
};
export const COMPLETIONS: Form = {
  path: "/v1/completions",
  of: "openai-chat",
  whole: "completion",
  event: "completion",
};

/** What was held against the types: how many of each, and what was found in them. */
export interface Held {
  status: number;
  faults: string[];
  counts: Map<PublishedName, number>;
}

/** Holds values against types, for one answer after the other. */
export function hold(values: readonly (readonly [PublishedName, unknown])[], status = 200): Held {
  const faults = new Set<string>();
  const counts = new Map<PublishedName, number>();
  for (const [name, value] of values) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const { type } = fieldsOf(value);
    const place = typeof type === "string" ? `${name} ${type}` : name;
    for (const fault of publishedFaults(name, value)) faults.add(`${place}: ${fault}`);
  }
  return { status, faults: [...faults], counts };
}

/** An error within a stream of chunks stands in the place of a chunk, as OpenAI's library reads it. */
const nameOf = (event: PublishedName, data: unknown): PublishedName =>
  event !== "responseEvent" && fieldsOf(data)["error"] !== undefined ? "error" : event;

/** An answer, whole or as a stream, or its error. */
export async function holdAnswer(answer: Response, { whole, event }: Pick<Form, "whole" | "event">): Promise<Held> {
  const text = await answer.text();
  if (answer.headers.get("content-type")?.startsWith("text/event-stream") !== true)
    return hold([[answer.ok ? whole : "error", JSON.parse(text)]], answer.status);
  const events = eventsIn(text).filter(({ data }) => data !== "[DONE]");
  return hold(
    events.map(({ data }) => [nameOf(event, data), data] as const),
    answer.status,
  );
}
