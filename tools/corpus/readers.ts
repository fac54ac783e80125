/** The reader of every recorded format, and what a recording says by it. */
import { type Fields, fieldsOf } from "../../tests/support/clients/client-formats.ts";
import { type RecordedEvent, eventsOf } from "./frames.ts";
import { type Heard, SHORTENED } from "./heard.ts";
import { readChat } from "./read-chat.ts";
import { readGemini } from "./read-gemini.ts";
import { readMessages } from "./read-messages.ts";
import { readResponses } from "./read-responses.ts";
import { readCohere, readConverse } from "./read-vendors.ts";
import type { RecordedFormat, Recording } from "./recording.ts";

type Reader = (events: readonly RecordedEvent[], isStream: boolean) => Heard;

const ofData =
  (read: (answers: readonly Fields[], isStream: boolean) => Heard): Reader =>
  (events, isStream) =>
    read(
      events.map(({ data }) => data),
      isStream,
    );

export const READERS: Readonly<Record<RecordedFormat, Reader>> = {
  "openai-chat": ofData(readChat),
  "openai-responses": ofData(readResponses),
  "anthropic-messages": ofData(readMessages),
  gemini: ofData(readGemini),
  converse: readConverse,
  cohere: ofData(readCohere),
};

/** The events of a recording; a whole answer is one. Undefined where it is neither JSON nor a stream. */
export function recordedEvents({ body, contentType, isStream }: Recording): readonly RecordedEvent[] | undefined {
  try {
    if (isStream) return eventsOf(body, contentType);
    const answer: unknown = JSON.parse(body.toString("utf8"));
    const answers = Array.isArray(answer) ? (answer as unknown[]) : [answer];
    return answers.map((each) => ({ data: fieldsOf(each), name: "", endsAt: body.length }));
  } catch {
    return undefined;
  }
}

/** Events with which a stream begins: a file with several of them was put together of several streams. */
const STARTS: ReadonlySet<unknown> = new Set(["message_start", "response.created", "message-start"]);

/** Fields of which an answer, or an event of one, has at least one. */
const ANSWER_FIELDS = ["choices", "output", "content", "candidates", "promptFeedback", "message", "type", "stopReason"];

/** What a recording says; undefined where it cannot be read, says nothing at all, or is several answers in one file. */
export function heardOf(recording: Recording): Heard | undefined {
  const events = recordedEvents(recording);
  if (events === undefined || events.length === 0) return undefined;
  if (events.filter(({ data }) => STARTS.has(data["type"])).length > 1) return undefined;
  // Claude 2 completed texts, in a format that no client asks for.
  if (events.some(({ data }) => typeof data["completion"] === "string")) return undefined;
  if (!events.some(({ data }) => ANSWER_FIELDS.some((field) => data[field] !== undefined))) return undefined;
  const heard = READERS[recording.format](events, recording.isStream);
  return heard.special.includes(SHORTENED) ? undefined : heard;
}

/**
 * True for a recording that is an error: by its status, inside an answer of status 200, or as an event of its stream, whose earlier words
 * may have come.
 */
export function isError(recording: Recording): boolean {
  if (recording.status >= 400) return true;
  const events = recordedEvents(recording) ?? [];
  return events.some(({ data, name }) => {
    const failed = data["type"] === "response.failed" || fieldsOf(data["response"])["status"] === "failed";
    return failed || name === "error" || data["type"] === "error" || isFilled(data["error"]);
  });
}

const isFilled = (value: unknown): boolean => typeof value === "object" && value !== null;
