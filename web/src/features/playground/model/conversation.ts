/** The types of a conversation: one or more lanes, each a model with its own thread, under one system prompt and one list of tools. Pure. */

import type { Shortage } from "../../../lib/shortage.ts";

/** `loading`: sent, nothing came yet; `incomplete`: words are coming. */
export type MessageStatus = "loading" | "incomplete" | "complete" | "error";
/** `divider`: messages before it are shown, and no longer sent. */
export type MessageRole = "user" | "assistant" | "tool" | "divider";

export interface ToolCall {
  id: string;
  name: string;
  /** JSON text as the model wrote it. */
  arguments: string;
  /** What the vendor wants back with the call (proofs of thinking); undefined where there is nothing. */
  extra?: unknown;
}

export interface Failure {
  /** How much the call lacked, where the balance did not reach for it. */
  shortage?: Shortage;
  message: string;
  code: string;
  /** HTTP status; 0 where no answer came, 200 where a stream broke off. */
  status: number;
}

/** What is known of a reply besides its words. Times are measured in this browser. */
export interface Figures {
  requestId?: string;
  firstTokenMs?: number;
  totalMs?: number;
  promptTokens?: number;
  completionTokens?: number;
  /** Quota charged, from the receipt; undefined until it is known, or where calls are not logged. */
  quota?: number;
}

export interface Source {
  url: string;
  title: string;
}

/** A file that goes to the model as it is. */
export interface Attachment {
  kind: "pdf" | "audio";
  name: string;
  /** Of the file itself; 0 where it came with a shared chat, which has its name alone. */
  bytes: number;
  /** About what it counts as input. */
  tokens: number;
  /** Data URL; absent where this browser did not keep it: then it is named, and no longer sent. */
  url?: string;
}

export interface Message {
  id: string;
  role: MessageRole;
  content: string;
  /** Milliseconds since 1970. */
  createAt: number;
  status: MessageStatus;
  /** Pictures as data URLs. */
  images?: readonly string[];
  attachments?: readonly Attachment[];
  reasoning?: string;
  /** Milliseconds from the first to the last word of the reasoning. */
  reasoningMs?: number;
  /** Proofs of thinking, to be sent back as they came. */
  reasoningDetails?: readonly unknown[];
  toolCalls?: readonly ToolCall[];
  /** Of a tool's result: the call it answers. */
  toolCallId?: string;
  sources?: readonly Source[];
  failure?: Failure;
  figures?: Figures;
  /** Of a reply: the model that was asked. */
  model?: string;
  /** The person ended it before its end. */
  isStopped?: boolean;
  /** What else stood here: another answer, or other words, each with all that came after it. */
  versions?: Versions;
}

/** A message and everything after it. */
type Tail = readonly Message[];

export interface Versions {
  /** Place of the one that is shown among all, from 0. */
  at: number;
  /** The others in their order; none of their first messages has versions of its own. */
  others: readonly Tail[];
}

export interface Lane {
  id: string;
  group: string;
  model: string;
  messages: readonly Message[];
}

export interface Conversation {
  id: string;
  /** Whose it is: browsers may be shared. */
  userId: number;
  system: string;
  /** JSON text: a list of function definitions; blank for none. */
  tools: string;
  lanes: readonly Lane[];
  /** Milliseconds since 1970; 0 until something was said. */
  updatedAt: number;
  /** The name that the person gave it; its first words where absent. */
  name?: string;
  /** It stands before the others. */
  isPinned?: boolean;
}

/** Characters of a name. */
export const NAME_MOST = 120;

/** One prompt goes to at most so many models. */
export const LANES_MOST = 4;

const ID_LENGTH = 12;
const ID_BASE = 36;

/** Random letters and digits. Not randomUUID: browsers have that on encrypted sites only. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(ID_LENGTH)), (byte) => (byte % ID_BASE).toString(ID_BASE)).join("");

/** An id for a message of this conversation. */
export const newMessageId = (conversationId: string): string => `${conversationId}-${newId()}`;

/** A message that is complete from the start. */
export const said = (id: string, role: MessageRole, content: string, createAt: number): Message => ({
  id,
  role,
  content,
  createAt,
  status: "complete",
});

export interface Beginning {
  userId: number;
  group: string;
  model: string;
  system: string;
}

/** A new conversation, in which nothing was said yet. */
export function beginConversation(id: string, { userId, group, model, system }: Beginning): Conversation {
  return { id, userId, system, tools: "", lanes: [{ id: newId(), group, model, messages: [] }], updatedAt: 0 };
}

/** Whether the model still writes it. */
export const isUnderWay = ({ status }: Message): boolean => status === "loading" || status === "incomplete";

/** Its name, else the first thing that was said, for lists; blank where nothing was. Chats of earlier releases begin with a greeting, which has an id of its own. */
export function titleOf({ id, lanes, name = "" }: Conversation): string {
  if (name !== "") return name;
  const first = lanes[0]?.messages.find((message) => message.role === "user" && message.id !== `${id}-1`);
  return first?.content.trim().replaceAll(/\s+/g, " ").slice(0, 120) ?? "";
}

/** Replies that were coming when the page was left: what came of them is kept as it is. */
export function settled(conversation: Conversation): Conversation {
  const end = (message: Message): Message =>
    isUnderWay(message) ? { ...message, status: "complete", isStopped: true } : message;
  return withLanes(conversation, (lane) => ({ ...lane, messages: lane.messages.map(end) }));
}

export const withLanes = (conversation: Conversation, change: (lane: Lane) => Lane): Conversation => ({
  ...conversation,
  lanes: conversation.lanes.map(change),
});

/** The conversation with one lane changed. */
export const withLane = (conversation: Conversation, laneId: string, change: (lane: Lane) => Lane): Conversation =>
  withLanes(conversation, (lane) => (lane.id === laneId ? change(lane) : lane));
