/** Running replies: each calls its model, adds the text to its message, and looks up its cost. They go on while another page is shown. */
import { ApiError, call } from "../../../lib/api.ts";
import { readStoredJson, STORAGE } from "../../../lib/storage.ts";
import { type Figures, type Lane, type Message, newMessageId, withLane, type Failure } from "../model/conversation.ts";
import { awaited, changed, goingOn, together } from "../model/edits.ts";
import { asVersionOf } from "../model/versions.ts";
import { parametersOf } from "../model/parameters.ts";
import { bodyOf, type Body } from "../model/request.ts";
import { type StreamEvent, withDelta, EventReader, failureOf, readEvent } from "../model/stream.ts";
import { changeConversation, conversation } from "./conversations.ts";
import { viewer } from "../../../lib/viewer.ts";

const PATH = "/pg/chat/completions";
/** While the tab is hidden nothing is painted, and words are taken in at this rhythm. */
const HIDDEN_MS = 250;

/** The call failed before or while it was answered. */
export class CallFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "CallFailed";
    this.failure = failure;
  }
}

interface Listener {
  /** The head came. */
  onHead: (requestId: string | undefined) => void;
  /** Events since the last painted frame. */
  onEvents: (events: readonly StreamEvent[]) => void;
}

const unreachable = (): CallFailed => new CallFailed({ message: "", code: "unreachable", status: 0 });
const broken = (): CallFailed => new CallFailed({ message: "", code: "broken_stream", status: 200 });

async function send(body: Body, signal: AbortSignal): Promise<Response> {
  const headers = { "Content-Type": "application/json", "New-Api-User": String(viewer()?.id ?? -1) };
  const request = { method: "POST", headers, credentials: "same-origin", body: JSON.stringify(body), signal } as const;
  return fetch(PATH, request).catch((error: unknown) => {
    throw signal.aborted ? error : unreachable();
  });
}

/** Hands on what came, at most once a frame. */
function inFrames(hand: (events: readonly StreamEvent[]) => void) {
  let held: StreamEvent[] = [];
  let isWaiting = false;
  const flush = (): void => {
    isWaiting = false;
    if (held.length === 0) return;
    const events = held;
    held = [];
    hand(events);
  };
  const take = (events: readonly StreamEvent[]): void => {
    held.push(...events);
    if (isWaiting || held.length === 0) return;
    isWaiting = true;
    if (document.hidden) setTimeout(flush, HIDDEN_MS);
    else requestAnimationFrame(flush);
  };
  return { take, flush };
}

/** Hands on what the events say. Throws CallFailed where one of them says that the call failed. */
function take(hand: (events: readonly StreamEvent[]) => void, data: readonly string[]): void {
  const read = data.map(readEvent);
  hand(read);
  const failed = read.find(({ kind }) => kind === "failure");
  if (failed?.kind === "failure") throw new CallFailed(failed.failure);
}

/**
 * Makes the call and resolves once the connection is closed. Throws CallFailed where the relay refuses, an event says so or the
 * connection breaks, and the signal's reason where it aborts. Nothing is sent again by itself: each call is charged.
 */
export async function makeCall(body: Body, { onHead, onEvents }: Listener, signal: AbortSignal): Promise<void> {
  const response = await send(body, signal);
  onHead(response.headers.get("x-request-id") ?? response.headers.get("x-oneapi-request-id") ?? undefined);
  if (!response.ok) throw new CallFailed(failureOf(response.status, await response.json().catch(() => undefined)));
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const events = new EventReader();
  const frames = inFrames(onEvents);
  try {
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
      take(frames.take, events.push(decoder.decode(piece.value, { stream: true })));
    }
    take(frames.take, events.push(decoder.decode(), true));
  } catch (error) {
    throw signal.aborted || error instanceof CallFailed ? error : broken();
  } finally {
    frames.flush();
  }
}

/** What runs, by the id of its message. */
const running = new Map<string, AbortController>();

/** A call that was given up is settled a moment after: its receipt is asked for again after these pauses. */
const RECEIPT_PAUSES_MS = [0, 400, 1500];

interface Place {
  conversationId: string;
  laneId: string;
  messageId: string;
}

const change = (
  { conversationId, laneId, messageId }: Place,
  edit: (message: Message) => Message,
  rhythm: "now" | "soon" = "now",
): void =>
  changeConversation(
    conversationId,
    (old) => withLane(old, laneId, (lane) => ({ ...lane, messages: changed(lane.messages, messageId, edit) })),
    rhythm,
  );

const addFigures = (place: Place, figures: Figures): void =>
  change(place, (message) => ({ ...message, figures: { ...message.figures, ...figures } }));

/** What the log says of the call, once it has it; nothing where calls are not logged. */
export async function receipt(requestId: string): Promise<Figures> {
  // With the first reply, not with the page.
  const { getOwnReceipt } = await import("../../../../../contract/src/features/logs.ts");
  for (const pauseMs of RECEIPT_PAUSES_MS) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    try {
      const row = await call(getOwnReceipt, { params: { request_id: requestId } });
      return { promptTokens: row.prompt_tokens, completionTokens: row.completion_tokens, quota: row.quota };
    } catch (error) {
      // Cost is beside the point of the page: it is left out where it cannot be had.
      if (!(error instanceof ApiError) || error.code !== "not_found") return {};
    }
  }
  return {};
}

/** Adds events as they come, and measures when the words and the thinking began and ended. */
function taker(place: Place, startedMs: number) {
  let thoughtSinceMs = 0;
  const add = (message: Message, event: StreamEvent): Message => {
    if (event.kind !== "chunk") return message;
    const next = withDelta(message, event.delta);
    const nowMs = performance.now();
    const isFirst = message.status === "loading" && next.status !== "loading";
    if (message.reasoning === undefined && next.reasoning !== undefined) thoughtSinceMs = nowMs;
    return {
      ...next,
      ...(next.reasoning === message.reasoning ? {} : { reasoningMs: nowMs - thoughtSinceMs }),
      figures: { ...next.figures, ...event.usage, ...(isFirst ? { firstTokenMs: nowMs - startedMs } : {}) },
    };
  };
  return (events: readonly StreamEvent[]): void => change(place, (message) => events.reduce(add, message), "soon");
}

/** How a reply ended, as its message says it. */
function ending(error: unknown, wasStopped: boolean): Partial<Message> {
  if (wasStopped) return { status: "complete", isStopped: true };
  // A connection that closes without a word about it has said everything.
  if (error === undefined) return { status: "complete" };
  const failure = error instanceof CallFailed ? error.failure : { message: String(error), code: "", status: 0 };
  return { status: "error", failure };
}

async function run(place: Place, lane: Lane, thread: readonly Message[], signal: AbortSignal): Promise<void> {
  const whole = conversation(place.conversationId);
  if (whole === undefined) return;
  const startedMs = performance.now();
  let requestId: string | undefined;
  let failed: unknown;
  const onHead = (id: string | undefined): void => {
    requestId = id;
    if (id !== undefined) addFigures(place, { requestId: id });
  };
  const parameters = parametersOf(readStoredJson(STORAGE.playgroundParameters), lane.model);
  try {
    await makeCall(bodyOf(whole, lane, thread, parameters), { onHead, onEvents: taker(place, startedMs) }, signal);
  } catch (error) {
    failed = error;
  }
  running.delete(place.messageId);
  change(place, (message) => ({ ...message, ...ending(failed, signal.aborted) }));
  addFigures(place, { totalMs: performance.now() - startedMs });
  // Otherwise the redirect to the login page would discard what was typed.
  const isLoggedIn = !(failed instanceof CallFailed && failed.failure.status === 401);
  if (requestId !== undefined && isLoggedIn) addFigures(place, await receipt(requestId));
}

/**
 * Asks the lane's model for a reply to `thread`, which becomes the lane's own with the reply at its end.
 * @param replaced what stood in the place of the reply and after it: it stays as another version
 */
export function askFor(
  conversationId: string,
  laneId: string,
  thread: readonly Message[],
  replaced: readonly Message[] = [],
): void {
  const lane = conversation(conversationId)?.lanes.find(({ id }) => id === laneId);
  if (lane === undefined) return;
  const messageId = newMessageId(conversationId);
  const messages = [...thread, asVersionOf(awaited(messageId, lane.model, Date.now()), replaced)];
  changeConversation(conversationId, (old) => withLane(old, laneId, (each) => ({ ...each, messages })));
  const controller = new AbortController();
  running.set(messageId, controller);
  void run({ conversationId, laneId, messageId }, lane, thread, controller.signal);
}

/** Asks for the rest of a reply that was ended: what comes is added to its words, and what it takes to its figures. */
export function goOn(conversationId: string, laneId: string, messageId: string): void {
  const lane = conversation(conversationId)?.lanes.find(({ id }) => id === laneId);
  const message = lane?.messages.find(({ id }) => id === messageId);
  if (lane === undefined || message === undefined) return;
  const place = { conversationId, laneId, messageId };
  const { failure: _failure, isStopped: _isStopped, figures = {}, ...begun } = message;
  const thread = goingOn(lane.messages, messageId).map((each) =>
    each.id === messageId ? { ...each, status: "complete" as const } : each,
  );
  change(place, () => ({ ...begun, status: "loading" }));
  const controller = new AbortController();
  running.set(messageId, controller);
  void run(place, lane, thread, controller.signal).then(() =>
    change(place, (now) => ({ ...now, figures: together(figures, now.figures ?? {}) })),
  );
}

/** Ends a reply where it is; what came of it stays. */
const stopReply = (messageId: string): void => running.get(messageId)?.abort();

/** Ends every reply of these threads. */
export function stopAll(lanes: readonly Lane[]): void {
  for (const { messages } of lanes) for (const { id } of messages) stopReply(id);
}
