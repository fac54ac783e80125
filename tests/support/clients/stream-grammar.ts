/** Checks the event order of each vendor's stream: the client's stream is complete, failed, or out of order. */
import type { DialectName } from "../../../server/src/dialects/neutral/neutral.ts";
import { type ClientFormat, type SeenEvent, fieldsOf, listOf } from "./client-formats.ts";

/** How a stream ended for its client: `cut` is an end without an event, which no client can distinguish from a network fault. */
export type StreamEnd = "whole" | "error" | "cut";

/** What is wrong in a stream, one line for each event that stands where it must not; empty where nothing is. */
type Checker = (events: readonly SeenEvent[]) => string[];

const typeOf = ({ data }: SeenEvent): string => String(fieldsOf(data)["type"]);

/** Chunks with choices, then `[DONE]` or an error (platform.openai.com/docs/api-reference/chat-streaming). */
const chatFaults: Checker = (events) =>
  events.flatMap((seen, place) => {
    const fields = fieldsOf(seen.data);
    const isChunk = fields["object"] === "chat.completion.chunk" && Array.isArray(fields["choices"]);
    const isLast = place === events.length - 1;
    const closes = seen.data === "[DONE]" || "error" in fields;
    return isChunk || (closes && isLast) ? [] : [`event ${place} is no chunk: ${JSON.stringify(seen)}`];
  });

/** Numbers rise by one, every event bears its type as name (platform.openai.com/docs/api-reference/responses-streaming). */
const responsesFaults: Checker = (events) => {
  const faults: string[] = [];
  for (const [place, seen] of events.entries()) {
    if (seen.event !== typeOf(seen))
      faults.push(`event ${place} is named ${seen.event} and has the type ${typeOf(seen)}`);
    if (fieldsOf(seen.data)["sequence_number"] !== place) faults.push(`event ${place} has another number`);
    const closes = ["response.completed", "response.incomplete", "response.failed"].includes(seen.event);
    if (closes && place !== events.length - 1) faults.push(`event ${place} closes the response before its end`);
  }
  if (events.length > 0 && events[0]?.event !== "response.created" && events[0]?.event !== "error")
    faults.push("the first event does not create the response");
  return faults;
};

type MessageState = "before" | "inside" | "stopping" | "over";

/** Blocks open, grow and close one after another inside a message (platform.claude.com/docs/en/build-with-claude/streaming). */
class AnthropicChecker {
  readonly faults: string[] = [];
  #open = -1;
  #next = 0;
  #state: MessageState = "before";

  take(seen: SeenEvent, place: number): void {
    const { index } = fieldsOf(seen.data);
    const type = typeOf(seen);
    if (seen.event !== type) this.#fault(place, `is named ${seen.event} and has the type ${type}`);
    if (type === "ping") return;
    if (this.#state === "over") this.#fault(place, "comes after the end");
    if (type === "message_start") this.#move(place, "before", "inside");
    else if (type === "content_block_start") this.#begin(place, index);
    else if (type === "content_block_delta" || type === "content_block_stop") this.#grow(place, index, type);
    else if (type === "message_delta") this.#move(place, "inside", "stopping");
    else if (type === "message_stop") this.#move(place, "stopping", "over");
    else if (type === "error") this.#state = "over";
    else this.#fault(place, `has the unknown type ${type}`);
  }

  #fault(place: number, what: string): void {
    this.faults.push(`event ${place} ${what}`);
  }

  #move(place: number, from: MessageState, to: MessageState): void {
    if (this.#state !== from || this.#open >= 0) this.#fault(place, `moves to ${to} out of turn`);
    this.#state = to;
  }

  #begin(place: number, index: unknown): void {
    if (this.#state !== "inside" || this.#open >= 0 || index !== this.#next)
      this.#fault(place, "opens a block out of turn");
    this.#open = this.#next;
    this.#next += 1;
  }

  #grow(place: number, index: unknown, type: string): void {
    if (index !== this.#open) this.#fault(place, "is of a block that is not open");
    if (type === "content_block_stop") this.#open = -1;
  }
}

const anthropicFaults: Checker = (events) => {
  const checker = new AnthropicChecker();
  for (const [place, seen] of events.entries()) checker.take(seen, place);
  return checker.faults;
};

/** Pieces with candidates, the last with the reason of its finish; or an error (ai.google.dev/api/generate-content). */
const geminiFaults: Checker = (events) =>
  events.flatMap((seen, place) => {
    const fields = fieldsOf(seen.data);
    const isPiece = listOf(fields["candidates"]).length > 0 || "promptFeedback" in fields || "usageMetadata" in fields;
    const isLast = place === events.length - 1;
    return isPiece || ("error" in fields && isLast) ? [] : [`event ${place} is no piece: ${JSON.stringify(seen)}`];
  });

const CHECKERS: Readonly<Record<DialectName, Checker>> = {
  "openai-chat": chatFaults,
  "openai-responses": responsesFaults,
  "anthropic-messages": anthropicFaults,
  gemini: geminiFaults,
};

/** What breaks the vendor's grammar in a stream that its client read to the end, or as far as it stayed. */
export const grammarFaults = ({ name }: ClientFormat, events: readonly SeenEvent[]): string[] => CHECKERS[name](events);

/** How the stream ended for its client; an error after the end event, or the reverse, is `error`. */
export function endOf(format: ClientFormat, events: readonly SeenEvent[]): StreamEnd {
  if (events.some(({ data }) => format.errorIn(fieldsOf(data)) !== undefined)) return "error";
  return events.some((seen) => format.isEnd(seen)) ? "whole" : "cut";
}
