/** Versions of a message: a new answer, or an edited question, keeps the earlier one with all that followed it. Pure. */
import type { Message, Versions } from "./conversation.ts";

type Thread = readonly Message[];

/** More versions of one message are not kept: the first goes. */
export const VERSIONS_MOST = 20;

const bare = ({ versions: _versions, ...message }: Message): Message => message;

/** A tail as it is kept: its first message without versions. */
const kept = ([first, ...rest]: Thread): Thread => (first === undefined ? [] : [bare(first), ...rest]);

/** All versions in their order, the shown one with its tail among them. */
function allOf(tail: Thread): Thread[] {
  const { at, others }: Versions = tail[0]?.versions ?? { at: 0, others: [] };
  return [...others.slice(0, at), kept(tail), ...others.slice(at)];
}

/** How many versions there are of this message; 1 where it has no other. */
export const countOf = ({ versions }: Pick<Message, "versions">): number => (versions?.others.length ?? 0) + 1;

/** The message as the newest version of what begins with `tail`; as it is where that is empty. */
export function asVersionOf(message: Message, tail: Thread): Message {
  if (tail.length === 0) return message;
  const others = allOf(tail).slice(1 - VERSIONS_MOST);
  return { ...message, versions: { at: others.length, others } };
}

/** The thread from this message on; empty where there is none of that id. */
export function tailFrom(thread: Thread, id: string): Thread {
  const index = thread.findIndex((message) => message.id === id);
  return index < 0 ? [] : thread.slice(index);
}

/** The thread with another version of this message, and what followed that one. */
export function switched(thread: Thread, id: string, to: number): Thread {
  const tail = tailFrom(thread, id);
  const all = allOf(tail);
  const [first, ...rest] = all[to] ?? [];
  if (first === undefined) return thread;
  const others = all.filter((_, index) => index !== to);
  const start = thread.slice(0, thread.length - tail.length);
  return [...start, others.length === 0 ? first : { ...first, versions: { at: to, others } }, ...rest];
}

/** The thread without this version of a message: the one before it is shown, or the one after it. */
export function withoutVersion(thread: Thread, id: string): Thread {
  const tail = tailFrom(thread, id);
  const { at, others } = tail[0]?.versions ?? { at: 0, others: [] };
  const to = Math.max(0, at - 1);
  const [first, ...rest] = others[to] ?? [];
  const start = thread.slice(0, thread.length - tail.length);
  if (first === undefined) return thread;
  const left = others.filter((_, index) => index !== to);
  return [...start, left.length === 0 ? first : { ...first, versions: { at: to, others: left } }, ...rest];
}
