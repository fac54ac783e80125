/** The frame around every call: the client's disconnect, the release of all resources, and the response to every error. */
import { isHoldFault } from "../../billing/billing.ts";
import { OTHER } from "../../observe/metrics.ts";
import type { Answer } from "./answer.ts";
import type { Call } from "./call.ts";
import { RelayError } from "./relay-error.ts";
import { guardSlowReader, writeRelayError } from "./respond.ts";

/** Status in metrics of a call whose client closed the connection first. */
const CLIENT_CLOSED = 499;
/** A refused body up to this size is read to its end, so that the connection can be used again. */
const DRAINED_BYTES = 65_536;

/** Counts the call as open and watches its client; `close` ends both. */
export function begin(call: Call): void {
  const { context, response } = call;
  context.metrics.openCalls += 1;
  call.place = context.running.add(call);
  response.on("close", () => {
    if (response.writableFinished || call.isClientGone) return;
    call.isClientGone = true;
    call.listener?.clientGone();
  });
}

/** The last step of every call, whatever its result. */
export function close(call: Call): void {
  call.isOver = true;
  call.context.metrics.openCalls -= 1;
  call.context.running.remove(call.place);
  call.requestMemory.release();
  if (call.budgetedBytes > 0) releaseMemory(call);
}

/** What a slow client has not taken yet is still in memory, so it counts until it is gone. */
function releaseMemory(call: Call): void {
  const { response, context, budgetedBytes } = call;
  call.budgetedBytes = 0;
  const isTaken = response.writableLength === 0 || response.destroyed;
  if (isTaken) return context.budget.give(budgetedBytes);
  guardSlowReader(call);
  response.once("close", () => context.budget.give(budgetedBytes));
}

/** How far a call has come, as its labels in the metrics need it. */
interface CallInfo {
  readonly accepted: { readonly model: string; readonly isStream: boolean } | undefined;
  readonly group: { readonly name: string } | undefined;
}

/** The model as a channel lists it: names that a client makes up would make series without end. */
function modelLabel({ context, trace }: Call, { accepted, group }: CallInfo): string {
  if (accepted === undefined) return "";
  const { model } = accepted;
  const isListed =
    trace.target?.channel.models.has(model) === true ||
    (group !== undefined && context.snapshot.tiersFor(group.name, model).length > 0);
  return isListed ? model : OTHER;
}

/** Counts the call in the metrics, and ends its spans, once its answer is over. `errorCode` is empty where it did not fail. */
function measure(call: Call, info: CallInfo, status: number, errorCode: string): void {
  const { context, operation, startedMs, trace, charge } = call;
  const { usage, quota } = charge;
  const model = modelLabel(call, info);
  const group = call.servedGroup === "" ? (info.group?.name ?? "") : call.servedGroup;
  const isStream = info.accepted?.isStream === true;
  const nowMs = performance.now();
  // A session lasts as long as its client wishes, and its answers are timed in the log.
  const isTimed = operation !== "realtime" && trace.target !== undefined;
  context.metrics.called({
    model,
    channelId: trace.target?.channel.id ?? 0,
    provider: trace.target?.provider.manifest.slug ?? "",
    operation,
    group,
    status,
    nowMs,
    durationSeconds: (nowMs - startedMs) / 1000,
    firstTokenSeconds: isTimed && isStream ? trace.firstByteMs / 1000 : 0,
    overheadSeconds: isTimed ? Math.max(0, nowMs - startedMs - call.outsideMs) / 1000 : undefined,
    promptTokens: quota > 0 ? usage.inputTokens : 0,
    completionTokens: quota > 0 ? usage.outputTokens : 0,
    quota,
    upstreamCost: quota > 0 ? charge.cost?.quota : undefined,
  });
  const { requestId, dialect } = call;
  const kind = { operation, dialect: dialect.name, requestId, isStream };
  call.spans?.end({ ...kind, status, errorCode, model, group, usage, quota });
}

/** A client that has read some of an answer has had it, also where it left before the end; one that its upstream broke off is none. */
const isSuccess = (answer: Answer | undefined): boolean =>
  answer?.isDelivered === true && answer.end !== "upstream_broke";

/** A call that was answered; `answer` is the upstream's, where one was asked. */
export function conclude(call: Call, info: CallInfo, answer?: Answer): void {
  void call.end(isSuccess(answer));
  const status = answer?.end === "client_left" ? CLIENT_CLOSED : call.status || 200;
  measure(call, info, status, answer?.end === "upstream_broke" ? "broken_off" : "");
}

function relayErrorFrom({ context, logFields }: Call, error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  if (isHoldFault(error) && error.kind === "unavailable") {
    context.logger.warn({ ...logFields, err: error }, "the database did not answer a call");
    return new RelayError("books_unavailable");
  }
  context.logger.error({ ...logFields, err: error }, "a call failed inside the gateway");
  return new RelayError("internal_error");
}

/** Answers the client in the form it still can read. */
function answerWithError(call: Call, error: RelayError): void {
  const { request, response, requestId, dialect } = call;
  if (!response.headersSent) {
    const isSmall = Number(request.headers["content-length"] ?? Number.NaN) <= DRAINED_BYTES;
    return writeRelayError(response, requestId, error, request.complete || isSmall, dialect);
  }
  if (response.destroyed) return;
  // There is no place for words among bytes that are no events: the answer is cut.
  if (call.begun === undefined) response.destroy();
  else call.begun.fail(error);
}

/** A call that was not answered: ends what was taken for it, then answers the client with the error, which it gives. */
export async function refuse(call: Call, info: CallInfo, thrown: unknown): Promise<RelayError> {
  const error = relayErrorFrom(call, thrown);
  await call.end(false);
  answerWithError(call, error);
  measure(call, info, call.isClientGone ? CLIENT_CLOSED : error.status, error.code);
  return error;
}
