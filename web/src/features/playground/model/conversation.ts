/** The types of a conversation: one or more lanes, each a model with its own thread, under one system prompt and one list of tools. Pure. */

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

export interface Message {
  id: string;
  role: MessageRole;
  content: string;
  /** Milliseconds since 1970. */
  createAt: number;
  status: MessageStatus;
  /** Pictures as data URLs. */
  images?: readonly string[];
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
}

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
  /** The two messages that start the chat. */
  greetings: readonly [user: string, assistant: string];
  atMs: number;
}

/** A new conversation with its two seeded messages, whose ids come from the conversation's own, which is in the address. */
export function beginConversation(
  id: string,
  { userId, group, model, system, greetings, atMs }: Beginning,
): Conversation {
  const messages = [said(`${id}-1`, "user", greetings[0], atMs), said(`${id}-2`, "assistant", greetings[1], atMs)];
  return { id, userId, system, tools: "", lanes: [{ id: newId(), group, model, messages }], updatedAt: 0 };
}

/** Whether the model still writes it. */
export const isUnderWay = ({ status }: Message): boolean => status === "loading" || status === "incomplete";

/** The first thing that was said beyond the greeting, for lists; blank where nothing was. */
export function titleOf({ id, lanes }: Conversation): string {
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
