/** Runs a set of prompts: each model answers one prompt after the other, all models beside each other. */
import { readStoredJson, STORAGE } from "../../../lib/storage.ts";
import { type Conversation, type Lane, newId, said } from "../model/conversation.ts";
import { awaited } from "../model/edits.ts";
import { parametersOf } from "../model/parameters.ts";
import { type Cell, WAITING } from "../model/prompt-set.ts";
import { bodyOf } from "../model/request.ts";
import { type StreamEvent, thinkingApart, withDelta } from "../model/stream.ts";
import { CallFailed, makeCall, receipt } from "./replies.ts";

/** Called with each change of a cell. */
export type OnCell = (line: number, column: number, cell: Cell) => void;

/** Asks one model one prompt. Resolves whatever comes of it. */
async function answered(whole: Conversation, lane: Lane, prompt: string, signal: AbortSignal): Promise<Cell> {
  const startedMs = performance.now();
  let message = awaited(newId(), lane.model, Date.now());
  let requestId: string | undefined;
  const onEvents = (events: readonly StreamEvent[]): void => {
    for (const event of events) {
      if (event.kind !== "chunk") continue;
      const isFirst = message.status === "loading";
      message = withDelta(message, event.delta);
      const firstTokenMs = isFirst && message.status !== "loading" ? performance.now() - startedMs : undefined;
      const figures = { ...message.figures, ...event.usage, ...(firstTokenMs === undefined ? {} : { firstTokenMs }) };
      message = { ...message, figures };
    }
  };
  const parameters = parametersOf(readStoredJson(STORAGE.playgroundParameters), lane.model);
  const body = bodyOf({ ...whole, tools: "" }, lane, [said(newId(), "user", prompt, Date.now())], parameters);
  let failed: unknown;
  try {
    await makeCall(body, { onHead: (id) => (requestId = id), onEvents }, signal);
  } catch (error) {
    failed = error;
  }
  const charged = requestId === undefined ? {} : await receipt(requestId);
  const figures = { ...message.figures, totalMs: performance.now() - startedMs, ...charged };
  const { content } = thinkingApart(message);
  if (failed === undefined) return { state: "done", text: content, figures };
  const failure = failed instanceof CallFailed ? failed.failure : { message: "", code: "stopped", status: 0 };
  return { state: "failed", text: content, figures, failure };
}

/** Runs all of it; what was not asked yet when `signal` aborts stays as it is. */
export async function runSet(
  whole: Conversation,
  lanes: readonly Lane[],
  prompts: readonly string[],
  onCell: OnCell,
  signal: AbortSignal,
): Promise<void> {
  const ofLane = async (lane: Lane, column: number): Promise<void> => {
    for (const [line, prompt] of prompts.entries()) {
      if (signal.aborted) return;
      onCell(line, column, { ...WAITING, state: "running" });
      onCell(line, column, await answered(whole, lane, prompt, signal));
    }
  };
  await Promise.all(lanes.map(ofLane));
}
