/** The reader of every recorded format, and what a recording says by it. */
import { type Fields, fieldsOf } from "../../tests/support/clients/client-formats.ts";
import { type RecordedEvent, eventsOf } from "./frames.ts";
import type { Heard } from "./heard.ts";
import { readChat } from "./read-chat.ts";
import { readGemini } from "./read-gemini.ts";
import { readMessages } from "./read-messages.ts";
import { readResponses } from "./read-responses.ts";
import { readCohere, readConverse, readOllama } from "./read-vendors.ts";
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
  ollama: ofData(readOllama),
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

/** What a recording says; undefined where it cannot be read, says nothing at all, or is several answers in one file. */
export function heardOf(recording: Recording): Heard | undefined {
  const events = recordedEvents(recording);
  if (events === undefined || events.length === 0) return undefined;
  if (events.filter(({ data }) => STARTS.has(data["type"])).length > 1) return undefined;
  return READERS[recording.format](events, recording.isStream);
}
