/** Edits of a thread of messages: adding, editing, deleting, clearing the context, answering tools. Pure. */
import { isUnderWay, type Figures, type Message, type ToolCall } from "./conversation.ts";
import { asVersionOf, tailFrom, withoutVersion } from "./versions.ts";

type Thread = readonly Message[];

/** The thread with one message changed; a message that is gone stays gone. */
export const changed = (thread: Thread, id: string, change: (message: Message) => Message): Thread =>
  thread.map((message) => (message.id === id ? change(message) : message));

/** A reply to which nothing came yet. */
export const awaited = (id: string, model: string, createAt: number): Message => ({
  id,
  role: "assistant",
  content: "",
  createAt,
  status: "loading",
  model,
});

/** The instruction to continue a stopped reply; no reader sees it. */
const GO_ON = "Continue exactly where you stopped. Do not repeat anything.";

/** Whether a reply was ended, or broke off, with some of its words there. */
export const canGoOn = ({ role, content, isStopped, failure, toolCalls = [] }: Message): boolean =>
  role === "assistant" &&
  content !== "" &&
  toolCalls.length === 0 &&
  (isStopped === true || failure?.code === "broken_stream");

/** The messages by which a model continues the reply of this id. */
export function goingOn(thread: Thread, id: string): Thread {
  const index = thread.findIndex((message) => message.id === id);
  const asked: Message = { id: `${id}-on`, role: "user", content: GO_ON, createAt: 0, status: "complete" };
  return [...thread.slice(0, index + 1), asked];
}

/** What both calls of one reply took together. */
export function together(one: Figures, other: Figures): Figures {
  const sum = (name: "promptTokens" | "completionTokens" | "quota" | "totalMs") => {
    const [first, second] = [one[name], other[name]];
    return first === undefined && second === undefined ? {} : { [name]: (first ?? 0) + (second ?? 0) };
  };
  const firstTokenMs = one.firstTokenMs ?? other.firstTokenMs;
  return {
    ...other,
    ...(firstTokenMs === undefined ? {} : { firstTokenMs }),
    ...sum("promptTokens"),
    ...sum("completionTokens"),
    ...sum("quota"),
    ...sum("totalMs"),
  };
}

/** Everything before this message; the whole thread where it has none of that id. */
export function before(thread: Thread, id: string): Thread {
  const index = thread.findIndex((message) => message.id === id);
  return index < 0 ? thread : thread.slice(0, index);
}

/** The thread up to this message, which says something else now, as a new version of it; what came after answered other words. */
export function edited(thread: Thread, id: string, content: string, newId: string): Thread {
  const tail = tailFrom(thread, id);
  const [message] = tail;
  if (message === undefined) return thread;
  return [...before(thread, id), asVersionOf({ ...message, id: newId, content }, tail)];
}

/** Results that directly follow a reply with calls. */
function resultsAfter(thread: Thread, index: number): number {
  let end = index + 1;
  while (thread[end]?.role === "tool") end += 1;
  return end - index - 1;
}

/** Without this message; the results of its tools go with a reply, since no vendor takes them alone. */
export function removed(thread: Thread, id: string): Thread {
  const index = thread.findIndex((message) => message.id === id);
  const message = thread[index];
  if (message === undefined) return thread;
  if (message.versions !== undefined) return withoutVersion(thread, id);
  return [...thread.slice(0, index), ...thread.slice(index + 1 + resultsAfter(thread, index))];
}

/** Ends the context: what stands before is no longer sent. Done twice in a row it is taken back. */
export function contextCleared(thread: Thread, id: string, atMs: number): Thread {
  if (thread.at(-1)?.role === "divider") return thread.slice(0, -1);
  return thread.length === 0
    ? thread
    : [...thread, { id, role: "divider", content: "", createAt: atMs, status: "complete" }];
}

/** The messages that are sent: those after the last divider that can be said to a model. */
export function context(thread: Thread): Thread {
  const start = thread.findLastIndex(({ role }) => role === "divider") + 1;
  return thread.slice(start).filter(({ status }) => status === "complete" || status === "error");
}

/** Calls of the last reply that wait for a result. */
export function openCalls(thread: Thread): readonly ToolCall[] {
  const index = thread.findLastIndex(({ role }) => role === "assistant");
  const reply = thread[index];
  if (reply === undefined || isUnderWay(reply) || reply.status === "error") return [];
  const after = thread.slice(index + 1);
  if (after.some(({ role }) => role !== "tool")) return [];
  const answered = new Set(after.map(({ toolCallId }) => toolCallId));
  return (reply.toolCalls ?? []).filter(({ id }) => !answered.has(id));
}

/** What another model is asked in comparison: the last question alone, since answers of one model are no words of another. A thread in which no model answered yet goes as it is. */
export function comparedFrom(thread: Thread): Thread {
  if (!thread.some(({ role, model }) => role === "assistant" && model !== undefined)) return thread;
  return thread.filter(({ role }) => role === "user").slice(-1);
}

/** Whether the thread ends with a question without an answer. */
export const isUnanswered = (thread: Thread): boolean => thread.at(-1)?.role === "user";
