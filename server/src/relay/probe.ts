/** A channel's test: one short call made, sent and read like a client's, without a caller, a charge or another channel. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { TestKind } from "../../../contract/src/channels/channel-tests.ts";
import type { Usage } from "../../../contract/src/pricing/usage.ts";
import { listOf, parseObject } from "../dialects/json/fields.ts";
import type { JsonObject } from "../dialects/neutral/neutral.ts";
import { DIALECTS } from "../dialects/registry.ts";
import { readEvent } from "../dialects/stream/sse-event.ts";
import type { Operation, UpstreamFailure } from "../providers/provider.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import type { ResponseHeaders, UpstreamSink } from "../upstream/client.ts";
import { newFault, UpstreamFault, withoutUpstreamKey } from "../upstream/fault.ts";
import { type Framer, framerFor } from "../upstream/framing.ts";
import { SseSplitter } from "../upstream/sse.ts";
import { Attempt, Attempts } from "./attempt/attempts.ts";
import { dispatch } from "./attempt/dispatch.ts";
import { withClockSkew } from "./attempt/failures.ts";
import { hasNextFormat } from "./attempt/formats.ts";
import { signRequest } from "./attempt/sign-request.ts";
import { translate } from "./attempt/translate.ts";
import { Call } from "./call/call.ts";
import type { RelayContext } from "./call/context.ts";
import { RelayError } from "./call/relay-error.ts";
import type { Target } from "./call/target.ts";
import { accept } from "./request/accept.ts";
import type { Accepted } from "./request/accepted.ts";
import { findPath } from "./request/paths.ts";
import { type Question, questionFor } from "./probe-questions.ts";

// The whole answer to a channel's test: collected, whatever it came as, and looked through for an answer of its operation.

const MAX_ANSWER_BYTES = 32 * 1_048_576;

export interface WholeAnswer {
  status: number;
  headers: ResponseHeaders;
  body: Buffer;
  isEvents: boolean;
}

/** Collects one answer to its end. */
export class Collector implements UpstreamSink {
  readonly #resolve: (answer: WholeAnswer) => void;
  readonly #reject: (fault: unknown) => void;
  #head: Pick<WholeAnswer, "status" | "headers"> = { status: 0, headers: {} };
  #framer: Framer | undefined = undefined;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(resolve: (answer: WholeAnswer) => void, reject: (fault: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  started(status: number, headers: ResponseHeaders): void {
    this.#head = { status, headers };
    this.#framer = framerFor(headers["content-type"], MAX_ANSWER_BYTES);
  }

  data(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_ANSWER_BYTES) return this.#reject(newFault("decode"));
    try {
      this.#parts.push(this.#framer?.push(chunk) ?? chunk);
    } catch (error) {
      // Nothing may be thrown into the client of upstreams; a fault of this program rejects as one.
      this.#reject(error instanceof UpstreamFault ? newFault("decode") : error);
    }
  }

  ended(): void {
    const rest = this.#framer?.end();
    if (rest !== undefined) this.#parts.push(rest);
    const isNamed = /^text\/event-stream\b/i.test(String(this.#head.headers["content-type"] ?? ""));
    const isEvents = this.#framer !== undefined || isNamed;
    this.#resolve({ ...this.#head, body: Buffer.concat(this.#parts), isEvents });
  }

  failed(fault: UpstreamFault): void {
    this.#reject(fault);
  }
}

interface Answered {
  kind: "answered";
  usage: Usage | undefined;
  /** The answer called a tool of the question. */
  callsTool?: boolean;
}

/** The verdict on an answer: its usage, or why it failed. */
type Verdict = Answered | { kind: "failed"; failure: UpstreamFailure } | { kind: "unreadable" };

const UNREADABLE: Verdict = { kind: "unreadable" };

/** Something of an answer in the parsed bodies of calls beside chat, as OpenAI has them. */
const HOLDS_ANSWER: Readonly<Partial<Record<Operation, (fields: JsonObject) => boolean>>> = {
  embeddings: ({ data }) => listOf(data).length > 0,
  rerank: ({ results }) => listOf(results).length > 0,
  images: ({ data }) => listOf(data).length > 0,
  moderations: ({ results }) => listOf(results).length > 0,
  transcriptions: ({ text }) => typeof text === "string",
};

function failed({ provider, channel }: Target, { status, headers, body }: WholeAnswer): Verdict {
  const read = provider.failure(status, withoutUpstreamKey(body.toString("utf8", 0, 65_536), channel.key), headers);
  const failure = provider.beforeSend === undefined ? read : withClockSkew(read, headers, Date.now());
  return { kind: "failed", failure };
}

/** The verdict on a stream, which some vendors send to everybody. */
function judgeEvents(target: Target, answer: WholeAnswer): Verdict {
  const decoder = target.dialect.createDecoder();
  let [isFinished, error, rawUsage]: [boolean, string | undefined, unknown] = [false, undefined, undefined];
  let callsTool = false;
  const take = (bytes: Buffer, text: string): void => {
    const { event, data } = readEvent(bytes, text);
    if (target.provider.isFailure?.(text) === true) error ??= data;
    for (const each of decoder.push(event, data)) {
      if (each.kind === "error") error ??= each.text;
      else if (each.kind === "finish") isFinished = true;
      else if (each.kind === "usage") rawUsage = each.raw;
      else if (each.kind === "tool_call") callsTool = true;
    }
  };
  const splitter = new SseSplitter(MAX_ANSWER_BYTES);
  splitter.push(answer.body, take);
  const rest = splitter.close();
  if (rest.length > 0) take(rest, rest.toString("latin1"));
  if (error !== undefined) return failed(target, { ...answer, body: Buffer.from(error) });
  if (!isFinished) return UNREADABLE;
  return { kind: "answered", usage: target.dialect.normaliseUsage(rawUsage)?.usage, callsTool };
}

function judgeChat({ dialect }: Target, parsed: JsonObject, text: string): Verdict {
  const answer = dialect.decodeAnswer(parsed);
  if (answer === undefined) return UNREADABLE;
  const callsTool = answer.choices.some(({ parts }) => parts.some(({ kind }) => kind === "tool_call"));
  return {
    kind: "answered",
    usage: dialect.normaliseUsage(answer.rawUsage ?? dialect.findUsage(text))?.usage,
    callsTool,
  };
}

function judgeOperation(target: Target, operation: Operation, parsed: JsonObject): Verdict {
  const { operationCall, dialect } = target;
  const made = operationCall?.answer(parsed);
  if (operationCall !== undefined)
    return made === undefined ? UNREADABLE : { kind: "answered", usage: dialect.normaliseUsage(made.rawUsage)?.usage };
  if (HOLDS_ANSWER[operation]?.(parsed) !== true) return UNREADABLE;
  return { kind: "answered", usage: dialect.normaliseUsage(parsed["usage"])?.usage };
}

/** The verdict on an answer, for every kind of question. */
function judgeAnswer(target: Target, operation: Operation, answer: WholeAnswer): Verdict {
  if (answer.status < 200 || answer.status > 299) return failed(target, answer);
  if (answer.isEvents) return judgeEvents(target, answer);
  const text = answer.body.toString("latin1");
  if (target.provider.isFailure?.(text) === true) return failed(target, answer);
  const parsed = parseObject(answer.body.toString("utf8"));
  // Speech is bytes, and so are some vendors' pictures; some transcripts are plain text.
  const isOfBytes = target.operationCall?.answerOfBytes !== undefined;
  if (parsed === undefined && (isOfBytes || operation === "speech" || operation === "transcriptions"))
    return answer.body.length > 0 ? { kind: "answered", usage: undefined } : UNREADABLE;
  if (parsed === undefined) return UNREADABLE;
  if (target.dialect.isErrorBody(parsed)) return failed(target, answer);
  return operation === "chat" ? judgeChat(target, parsed, text) : judgeOperation(target, operation, parsed);
}

/** Why a test was not made, beside what `Verdict` has. */
export type ProbeResult =
  | Verdict
  /** It answered, but not in the way that was to be shown. */
  | { kind: "not_streamed" | "no_tool_call"; usage: Usage | undefined }
  | { kind: "no_question" }
  /** Its question of this kind is made to conversations alone. */
  | { kind: "not_for_model" }
  | { kind: "no_operation"; operation: Operation }
  | { kind: "not_expressible"; message: string }
  | { kind: "broken"; fault: UpstreamFault };

const FIRST_BYTE_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 15_000;
/** Memory for requests is shared among users; tests are no user's, and short. */
const NO_USER_ID = 0;
const MAX_REQUEST_BYTES = 1_048_576;

/** The request as a client would have sent it. */
function requestOf({ path, contentType, body }: Question): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: "POST", url: path, headers: { "content-type": contentType } });
  request.push(body);
  request.push(null);
  return request;
}

async function acceptedFor(context: RelayContext, question: Question): Promise<[Call, Accepted]> {
  const endpoint = findPath("POST", question.path);
  if (endpoint.kind !== "call") throw new Error(`${question.path} is no path of the relay`);
  const request = requestOf(question);
  const kind = { operation: question.operation, dialect: DIALECTS[endpoint.dialect] };
  const call = new Call(context, request, new ServerResponse(request), kind);
  call.requestMemory.allow(NO_USER_ID, MAX_REQUEST_BYTES);
  return [call, await accept(call, endpoint)];
}

function collect(
  context: RelayContext,
  target: Target,
  request: Parameters<typeof dispatch>[2],
  signal: AbortSignal | undefined,
): Promise<WholeAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<WholeAnswer>();
  const sent = dispatch(context, target, request, new Collector(resolve, reject), reject);
  const giveUp = (): void => sent.abort();
  signal?.addEventListener("abort", giveUp, { once: true });
  return promise.finally(() => {
    signal?.removeEventListener("abort", giveUp);
    sent.abort();
  });
}

/** Sends a target's question; a token of ours that is refused is renewed once. */
async function put(
  context: RelayContext,
  target: Target,
  { operation, kind }: Pick<Question, "operation" | "kind">,
  signal: AbortSignal | undefined,
  isSecond = false,
): Promise<ProbeResult> {
  const made = await signRequest(context, target);
  if ("kind" in made) return { kind: "failed", failure: made };
  const { forgetToken, ...outgoing } = made;
  const timers = { firstByteTimeoutMs: FIRST_BYTE_TIMEOUT_MS, idleTimeoutMs: IDLE_TIMEOUT_MS };
  const { proxy = "", http2 } = target.channel.setting;
  const answer = await collect(context, target, { ...outgoing, proxy, http2, ...timers }, signal);
  const verdict = judgeAnswer(target, operation, answer);
  if (verdict.kind === "answered") {
    if (kind === "stream" && !answer.isEvents) return { kind: "not_streamed", usage: verdict.usage };
    if (kind === "tools" && verdict.callsTool !== true) return { kind: "no_tool_call", usage: verdict.usage };
  }
  const isRefused = verdict.kind === "failed" && verdict.failure.kind === "auth";
  if (!isRefused || forgetToken === undefined || isSecond) return verdict;
  await forgetToken();
  return put(context, target, { operation, kind }, signal, true);
}

/** In the channel's first format for this model, then in the next where that is not served. */
async function ask(attempt: Attempt, question: Question, signal: AbortSignal | undefined): Promise<ProbeResult> {
  const { attempts } = attempt;
  const { context } = attempts.call;
  for (;;) {
    const target = await translate(attempt);
    if (target === undefined)
      return { kind: "not_expressible", message: attempts.untranslatable?.message ?? "the request cannot be made" };
    const verdict = await put(context, target, question, signal);
    if (verdict.kind !== "failed" || !hasNextFormat(attempt, target, verdict.failure)) return verdict;
  }
}

/** Tests a channel with a model of its own, by a question of the kind. Rejects with faults of this program alone. */
export async function probe(
  context: RelayContext,
  channel: SnapshotChannel,
  model: string,
  kind: TestKind = "plain",
  signal?: AbortSignal,
): Promise<ProbeResult> {
  const provider = context.providers.byType(channel.type);
  if (provider === undefined || questionFor(model, "plain") === undefined) return { kind: "no_question" };
  const question = questionFor(model, kind);
  if (question === undefined) return { kind: "not_for_model" };
  const { operation } = question;
  if (!provider.manifest.operations.includes(operation)) return { kind: "no_operation", operation };
  const [call, accepted] = await acceptedFor(context, question);
  try {
    const routes = { tiers: [], pinnedChannelId: channel.id };
    const attempts = new Attempts(call, accepted, { routes, quote: { promptTokens: 1 } }, true);
    const attempt = new Attempt(attempts, channel, provider, { id: channel.id, lease: undefined }, 0);
    if (signal?.aborted === true) return { kind: "broken", fault: newFault("aborted") };
    return await ask(attempt, question, signal);
  } catch (error) {
    // A rule of the channel's override, or a mapping in a circle.
    if (error instanceof RelayError) return { kind: "not_expressible", message: error.message };
    if (error instanceof UpstreamFault) return { kind: "broken", fault: error as UpstreamFault };
    throw error;
  } finally {
    call.requestMemory.release();
  }
}
