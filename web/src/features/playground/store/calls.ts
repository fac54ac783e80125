/** One call of the playground: sends the body, reads the stream, and gives its events in the rhythm of the screen. */
import { viewer } from "../../../lib/viewer.ts";
import type { Failure } from "../model/conversation.ts";
import type { Body } from "../model/request.ts";
import { EventReader, failureOf, readEvent, type StreamEvent } from "../model/stream.ts";

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

export interface Listener {
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
