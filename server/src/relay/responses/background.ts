/** Responses in the background: begun, read, followed, cancelled and deleted; an inner call of this gateway asks the model, for no vendor but one has them. */
import { patchTopLevel } from "../../dialects/json/patch.ts";
import { parseObject } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { createEnvelope } from "../../dialects/openai-responses/answer-envelope.ts";
import { setTimeout as delay } from "node:timers/promises";
import { endsWithin } from "../../util/deadline.ts";
import { type Caller, checkAddress, checkModelLimits } from "../admission/caller.ts";
import type { Call } from "../call/call.ts";
import type { FoundBackground } from "../call/ports.ts";
import { RelayError } from "../call/relay-error.ts";
import { baseHeaders } from "../call/respond.ts";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { noteFree } from "../metering/record.ts";
import { withBody } from "../request/accept.ts";
import { type Accepted, bodyFields, requestField, textField } from "../request/accepted.ts";
import { type StoredPath, queryOf } from "../request/paths.ts";
import { BACKGROUND_PREFIX, BackgroundAnswer } from "./background-run.ts";
import { keptEvents, streamEvents } from "./background-stream.ts";
import { type RunCall, writeRefusal } from "./inner-call.ts";
import { notFound, passStored } from "./stored.ts";

// Facts: developers.openai.com/api/docs/guides/background; platform.openai.com/docs/api-reference/responses (create, get, cancel, delete).

/** How long a client that cancels waits for the end. */
const CANCEL_WAIT_MS = 5_000;
const CANCEL_LOOK_MS = 100;

export const isBackgroundId = (id: string): boolean => id.startsWith(BACKGROUND_PREFIX);

/** True for a call whose client does not wait for the answer. */
export const isInBackground = (accepted: Accepted): boolean =>
  accepted.operation === "chat" &&
  accepted.dialect.name === "openai-responses" &&
  accepted.endpoint.compacts !== true &&
  requestField(accepted, "background") === true;

/** The response object before anything was asked. */
function queuedResponse(call: Call, accepted: Accepted): JsonObject {
  const { requestId, createdAt } = call;
  const info = { model: accepted.model, requestId, createdAt, asksUsage: true, isArray: false, inputTokens: 0 };
  const envelope = createEnvelope({ ...info, request: bodyFields(accepted) });
  const response = envelope({ status: "in_progress", output: [], usage: null });
  return { ...response, status: "queued", background: true, store: true };
}

/** The request of the call within, which is streamed so that what came of it is known whenever it ends. */
const bodyWithin = ({ body, info }: Accepted): Buffer =>
  patchTopLevel(
    body,
    info.top,
    new Map([
      ["background", null],
      ["stream", "true"],
    ]),
  );

function writeResponse(call: Call, json: string): void {
  const body = Buffer.from(json);
  const contentType = "application/json";
  call.status = 200;
  const send = (): void => {
    const length = ["Content-Type", contentType, "Content-Length", String(body.length)];
    call.response.writeHead(200, [...baseHeaders(call.requestId), ...length]);
    call.response.end(body);
  };
  if (call.keeper === undefined) return send();
  void call.keeper.keepThen({ status: 200, contentType, body }, send);
}

/**
 * Begins the response and answers with it, or with its events, as soon as quota is held for it. Its client may leave then. Throws RelayError
 * 400 for one that is not to be stored, 429 beyond the bounds, 503 while the server stops.
 */
export async function answerInBackground(
  call: Call,
  accepted: Accepted,
  caller: Caller,
  runCall: RunCall,
): Promise<void> {
  if (requestField(accepted, "store") === false) throw new RelayError("background_not_stored", { param: "store" });
  const queued = queuedResponse(call, accepted);
  const { model, isStream: isStreamed } = accepted;
  const run = new BackgroundAnswer(call, caller, { model, isStreamed, body: bodyWithin(accepted), queued });
  call.context.backgroundRuns.add(run);
  void run.run(runCall);
  const refused = await run.admitted;
  if (refused !== undefined) return writeRefusal(call, refused);
  const { response } = run;
  // From here on a repeat under the same key is not made.
  call.charge = { usage: NO_USAGE, quota: 0, isDelivered: true };
  if (isStreamed) await streamEvents(call, run, -1, false);
  else writeResponse(call, JSON.stringify(response));
}

/** The caller's own response; one whose process is gone has failed. Rejects with RelayError 404 or 503. */
async function ownBackground(call: Call, id: string, { user }: Caller): Promise<FoundBackground> {
  const { backgroundResponses: store, backgroundRuns, logger } = call.context;
  // Before its row is read: it is there until the row says how it ended.
  const isMadeHere = backgroundRuns.find(id) !== undefined;
  try {
    const found = await store.find(id);
    if (found?.userId !== user.id) throw notFound(id);
    if (!isUnderWay(found) || found.maker === "another" || (found.maker === "this" && isMadeHere)) return found;
    const lost = { ...found, status: "failed", response: failedByLoss(found.response) } as const;
    await store.change(id, { status: lost.status, response: lost.response });
    return lost;
  } catch (error) {
    if (error instanceof RelayError) throw error;
    logger.warn({ ...call.logFields, err: error }, "a response in the background could not be looked up");
    throw new RelayError("books_unavailable", { message: "The response cannot be looked up at the moment." });
  }
}

const isUnderWay = ({ status }: FoundBackground): boolean => status === "queued" || status === "in_progress";

const LOST = {
  code: "server_error",
  message: "The response could not be stored, or its process ended before. The log says whether it was charged.",
};

const failedByLoss = (response: string): string =>
  JSON.stringify({ ...parseObject(response), status: "failed", error: LOST });

/** The number behind which a client continues; everything where it names none. Throws RelayError 400. */
function startingAfter(url: string): number {
  const named = queryOf(url).get("starting_after");
  if (named === null || named === "") return -1;
  if (/^\d{1,9}$/.test(named)) return Number(named);
  const message = "'starting_after' must be the sequence_number of an event.";
  throw new RelayError("not_served", { message, param: "starting_after" });
}

async function follow(call: Call, found: FoundBackground, caller: Caller): Promise<void> {
  if (!found.isStreamed)
    throw new RelayError("not_served", {
      message: "The response can be streamed only if it was made with 'stream' set to true.",
      param: "stream",
    });
  const after = startingAfter(call.request.url ?? "/");
  const run = call.context.backgroundRuns.find(found.id);
  if (run instanceof BackgroundAnswer) return streamEvents(call, run, after, false);
  const isOver = async (): Promise<boolean> => !isUnderWay(await ownBackground(call, found.id, caller));
  await streamEvents(call, keptEvents(call, found.id, isOver), after, true);
}

/** Ends it, wherever it is made, and answers with what it has become; one that has ended stays as it is. */
async function cancel(call: Call, found: FoundBackground, caller: Caller): Promise<void> {
  const { backgroundRuns, backgroundResponses: store } = call.context;
  const { id } = found;
  const run = backgroundRuns.find(id);
  let now = found;
  if (run !== undefined) {
    run.cancel();
    await endsWithin(run.done, CANCEL_WAIT_MS);
    now = await ownBackground(call, id, caller);
  } else if (isUnderWay(found)) {
    await store.askToCancel(id);
    const untilMs = performance.now() + CANCEL_WAIT_MS;
    while (isUnderWay(now) && performance.now() < untilMs) {
      await delay(CANCEL_LOOK_MS);
      now = await ownBackground(call, id, caller);
    }
  }
  writeResponse(call, now.response);
}

async function remove(call: Call, found: FoundBackground): Promise<void> {
  if (isUnderWay(found)) throw new RelayError("response_under_way");
  await call.context.backgroundResponses.remove(found.id);
  writeResponse(call, JSON.stringify({ id: found.id, object: "response", deleted: true }));
}

/** What was put in is known to an upstream that stores it too; here it is not kept. */
function passInput(call: Call, path: StoredPath, { id, upstreamId }: FoundBackground, caller: Caller): Promise<void> {
  if (upstreamId === "")
    throw new RelayError("not_served", { message: "The input of this response is not kept.", param: "response_id" });
  const url = (call.request.url ?? "/").replace(id, upstreamId);
  return passStored(call, { ...path, id: upstreamId }, caller, url);
}

/** Answers requests about a response in the background. Rejects with RelayError. */
export async function answerBackground(call: Call, path: StoredPath, caller: Caller): Promise<void> {
  checkAddress(caller.token, caller.address);
  const found = await ownBackground(call, path.id, caller);
  checkModelLimits(caller, found.model);
  noteFree(call, caller);
  if (path.action === "cancel") return cancel(call, found, caller);
  if (path.action === "delete") return remove(call, found);
  if (path.action === "input_items") return passInput(call, path, found, caller);
  if (queryOf(call.request.url ?? "/").get("stream") === "true") return follow(call, found, caller);
  writeResponse(call, found.response);
}

/** A call that continues such a response names it as its upstream does. Rejects with RelayError 400 where none stores it. */
export async function withUpstreamIds(call: Call, accepted: Accepted, caller: Caller): Promise<Accepted> {
  if (!accepted.body.includes(BACKGROUND_PREFIX)) return accepted;
  const id = textField(accepted, "previous_response_id") ?? "";
  if (!isBackgroundId(id)) return accepted;
  const found = await ownBackground(call, id, caller).catch((error: unknown) => {
    if (error instanceof RelayError && error.status === 404) return undefined;
    throw error;
  });
  if (found !== undefined && found.upstreamId !== "") {
    const edits = new Map([["previous_response_id", JSON.stringify(found.upstreamId)]]);
    return withBody(call, accepted, patchTopLevel(accepted.body, accepted.info.top, edits));
  }
  const isOpen = found !== undefined && isUnderWay(found);
  const reason = isOpen ? "has not ended" : "is not kept by an upstream: send the whole conversation";
  throw new RelayError("previous_response_not_found", {
    message: `The response '${id}' ${reason}.`,
    param: "previous_response_id",
  });
}
