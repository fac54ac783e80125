/** Replies under way: each asks its model, adds what comes to its message, and looks up what it cost. They go on while another page is shown. */
import { ApiError, call } from "../../../lib/api.ts";
import { readStoredJson, STORAGE } from "../../../lib/storage.ts";
import { type Figures, type Lane, type Message, newMessageId, withLane } from "../model/conversation.ts";
import { awaited, changed } from "../model/edits.ts";
import { parametersOf } from "../model/parameters.ts";
import { bodyOf } from "../model/request.ts";
import { type StreamEvent, withDelta } from "../model/stream.ts";
import { CallFailed, makeCall } from "./calls.ts";
import { changeConversation, conversation } from "./conversations.ts";

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
async function receipt(requestId: string): Promise<Figures> {
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
  // Whoever is not logged in would be led away from what they wrote.
  const isLoggedIn = !(failed instanceof CallFailed && failed.failure.status === 401);
  if (requestId !== undefined && isLoggedIn) addFigures(place, await receipt(requestId));
}

/** Asks the lane's model for a reply to `thread`, which becomes the lane's own with the reply at its end. */
export function askFor(conversationId: string, laneId: string, thread: readonly Message[]): void {
  const lane = conversation(conversationId)?.lanes.find(({ id }) => id === laneId);
  if (lane === undefined) return;
  const messageId = newMessageId(conversationId);
  const messages = [...thread, awaited(messageId, lane.model, Date.now())];
  changeConversation(conversationId, (old) => withLane(old, laneId, (each) => ({ ...each, messages })));
  const controller = new AbortController();
  running.set(messageId, controller);
  void run({ conversationId, laneId, messageId }, lane, thread, controller.signal);
}

/** Ends a reply where it is; what came of it stays. */
const stopReply = (messageId: string): void => running.get(messageId)?.abort();

/** Ends every reply of these threads. */
export function stopAll(lanes: readonly Lane[]): void {
  for (const { messages } of lanes) for (const { id } of messages) stopReply(id);
}
