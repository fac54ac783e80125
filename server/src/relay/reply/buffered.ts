/** An answer in one piece: collected, searched for its usage, and sent once the charge is committed. */
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import { parseExactObject } from "../../dialects/json/exact.ts";
import type { BinaryBody, JsonObject, NeutralAnswer } from "../../dialects/neutral/neutral.ts";
import type { OperationAnswer } from "../../dialects/neutral/operation-codec.ts";
import { type EstimatedTokens, TokenEstimate } from "../../dialects/neutral/token-estimate.ts";
import { isBinary } from "../../dialects/vendor-operation.ts";
import type { Operation } from "../../providers/provider.ts";
import type { ResponseHeaders } from "../../upstream/client.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";
import { answerTransform } from "./response-transform.ts";
import type { Target } from "../call/target.ts";
import { type Delivery, MAX_ANSWER_BYTES, type Reply, type ReplyDone, TOO_LONG } from "./delivery.ts";
import { type ReadAnswer, type ReportedTier, answerReader, reportedTier } from "../metering/reported-usage.ts";
import { readUpstreamFailure } from "./upstream-failure.ts";
import { OPERATIONS } from "../request/operations.ts";

/** Keys whose values are the answer's words, for an estimate where the upstream counted nothing. */
const WORD_KEYS: ReadonlySet<string> = new Set([
  "content",
  "reasoning_content",
  "reasoning",
  "text",
  "arguments",
  "refusal",
]);

function countWords(value: unknown, words: TokenEstimate, isWord = false): void {
  if (typeof value === "string") {
    if (!isWord) return;
    words.addText(value);
    words.endText();
  } else if (Array.isArray(value)) for (const each of value) countWords(each, words, isWord);
  else if (typeof value === "object" && value !== null) {
    for (const [name, each] of Object.entries(value)) countWords(each, words, WORD_KEYS.has(name));
  }
}

/** True where the upstream's usage counts an answer, or the operation has none to count. */
function countsOutput(rawUsage: unknown, target: Target, operation: Operation): boolean {
  if (answerReader(operation, target.dialect) !== undefined) return false;
  const usage = target.dialect.normaliseUsage(rawUsage)?.usage;
  if (usage === undefined) return false;
  return OPERATIONS[operation].countsOutput ? usage.outputTokens > 0 : usage.inputTokens > 0;
}

/** True for JSON, also in the answer of an operation that has other kinds: there it is an error. */
export const isJsonType = (headers: ResponseHeaders): boolean =>
  /^application\/json\b/i.test(String(headers["content-type"]));

/** False for what was cut, and for pages: a look at the end, since bodies that go on as they are need not be parsed. */
function endsAsObject(text: string): boolean {
  let last = text.length - 1;
  for (let code = text.charCodeAt(last); code === 10 || code === 13 || code === 32 || code === 9;)
    code = text.charCodeAt((last -= 1));
  return text.charCodeAt(last) === 125;
}

export class BufferedReply implements Reply {
  readonly #delivery: Delivery;
  readonly #target: Target;
  readonly #status: number;
  readonly #headers: ResponseHeaders;
  readonly #done: ReplyDone;
  readonly #reportedTier: ReportedTier | undefined;
  #parts: Buffer[] = [];
  #size = 0;
  #isOver = false;

  constructor(delivery: Delivery, target: Target, status: number, headers: ResponseHeaders, done: ReplyDone) {
    this.#delivery = delivery;
    this.#target = target;
    this.#status = status;
    this.#headers = headers;
    this.#done = done;
    this.#reportedTier = reportedTier(target, headers);
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#size + chunk.length > MAX_ANSWER_BYTES) return this.#tooLong();
    if (!this.#delivery.call.context.budget.take(chunk.length)) return this.#overflow();
    this.#delivery.call.budgetedBytes += chunk.length;
    this.#size += chunk.length;
    this.#parts.push(chunk);
  }

  /** A few kilobytes may unpack to more than all calls have. */
  #tooLong(): void {
    this.#fail("network", "upstream_broken", TOO_LONG);
    this.#delivery.upstream?.abort();
  }

  #overflow(): void {
    this.#fail("overloaded", "over_capacity", "the gateway has no memory left for this answer");
    this.#delivery.upstream?.abort();
  }

  #fail(kind: "overloaded" | "network" | "timeout", code: string, message: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#done({ kind, code, message, status: 0, isRetryable: false, type: "upstream_error" });
  }

  ended(): void {
    if (this.#isOver) return;
    const body =
      this.#parts.length === 1 && this.#parts[0] !== undefined
        ? this.#parts[0]
        : Buffer.concat(this.#parts, this.#size);
    const text = body.toString("latin1");
    const { dialect } = this.#target;
    const { operation } = this.#delivery.accepted;
    const call = this.#target.operationCall;
    if (call?.answerOfBytes !== undefined && !isJsonType(this.#headers)) {
      const bytes = { bytes: body, mimeType: String(this.#headers["content-type"] ?? "") };
      return this.#bridged(call.answerOfBytes(bytes), new TokenEstimate(), body);
    }
    const isJson = OPERATIONS[operation].answersJson || isJsonType(this.#headers);
    if (isJson && (!endsAsObject(text) || this.#target.provider.isFailure?.(text) === true)) return this.#refuse(body);
    const rawUsage = isJson ? dialect.findUsage(text) : undefined;
    if (isJson) this.#reportedTier?.read(text, false);
    const { trace } = this.#delivery.call;
    if (trace.wantsAnswerId) trace.readAnswerId(text);
    const words = new TokenEstimate();
    const isEncoded =
      dialect !== this.#delivery.accepted.dialect ||
      this.#lacksEvents ||
      this.#target.operationCall !== undefined ||
      this.#target.searches !== undefined;
    const write = (): void => this.#delivery.writeBuffered(this.#status, this.#headers, body, text);
    const form = answerTransform(this.#delivery.accepted, this.#target);
    if (isEncoded || form !== undefined || (isJson && !countsOutput(rawUsage, this.#target, operation))) {
      // The cases in which the whole is parsed: it may be an error that came with a status of success.
      const parsed = parseExactObject(body.toString("utf8"));
      if (parsed === undefined || dialect.isErrorBody(parsed)) return this.#refuse(body);
      if (operation === "chat" && dialect.decodeAnswer(parsed) === undefined) return this.#refuse(body);
      countWords(parsed, words);
      if (isEncoded) return this.#encoded(parsed, rawUsage, words, body);
      if (form !== undefined) return this.#answered({ rawUsage }, words, () => this.#writeOwn(form(parsed)));
      const read = answerReader(operation, dialect)?.(parsed);
      if (read !== undefined) return this.#answered(read, words, write);
    }
    this.#answered({ rawUsage }, words, write);
  }

  #answered(read: ReadAnswer, words: EstimatedTokens, complete: (usage: Usage) => void): void {
    this.#isOver = true;
    const [status, tier] = [this.#status, this.#reportedTier?.tier];
    const target = this.#target;
    const wordTokens = words.tokens;
    this.#done({ target, end: "complete", status, tier, ...read, wordTokens, isDelivered: true, complete });
  }

  /** The upstream's own answer in another form. */
  #writeOwn(fields: JsonObject): void {
    const body = Buffer.from(JSON.stringify(fields));
    this.#delivery.writeBuffered(this.#status, this.#headers, body, body.toString("latin1"));
  }

  /** A stream was asked for, which the client's format can be given although the upstream sent none. */
  get #lacksEvents(): boolean {
    return this.#delivery.accepted.isStream && this.#delivery.accepted.operation === "chat";
  }

  /** An answer that does not go on in its own bytes: to a client of another format, or as the stream it asked for. */
  #encoded(parsed: JsonObject, rawUsage: unknown, words: EstimatedTokens, body: Buffer): void {
    const { dialect, operationCall } = this.#target;
    if (operationCall !== undefined) return this.#bridged(operationCall.answer(parsed), words, body);
    const answer = dialect.decodeAnswer(parsed);
    if (answer === undefined) return this.#refuse(body);
    this.#target.searches?.heard(answer);
    this.#answered({ rawUsage: answer.rawUsage ?? rawUsage }, words, (usage) => this.#complete(answer, usage));
  }

  #complete(last: NeutralAnswer, usage: Usage): void {
    const [delivery, target, headers] = [this.#delivery, this.#target, this.#headers];
    if (target.searches?.live !== undefined) return delivery.endLive(target.searches, headers, usage);
    const answer = target.searches?.whole(last) ?? last;
    const { accepted, info } = delivery;
    if (accepted.isStream) return delivery.writeAsStream(target, headers, answer, usage);
    const fields = accepted.dialect.encodeAnswer(answer, usage, info);
    const transform = answerTransform(accepted, target);
    delivery.writeText(this.#status, headers, JSON.stringify(transform?.(fields) ?? fields));
  }

  /** The answer of a call beside chat. */
  #bridged(answer: OperationAnswer | undefined, words: EstimatedTokens, body: Buffer): void {
    if (answer === undefined) return this.#refuse(body);
    const { rawUsage, pictures } = answer;
    this.#answered({ rawUsage, ...(pictures === undefined ? {} : { pictures }) }, words, (usage) => {
      const made = answer.encode(usage, this.#delivery.info);
      if (isBinary(made)) this.#writeBytes(made);
      else this.#delivery.writeText(this.#status, this.#headers, JSON.stringify(made));
    });
  }

  #writeBytes({ bytes, mimeType }: BinaryBody): void {
    const headers = { ...this.#headers, "content-type": mimeType };
    this.#delivery.writeBuffered(this.#status, headers, bytes, bytes.toString("latin1"));
  }

  /** A success without an answer in it is a failure, and another channel may do better. */
  #refuse(body: Buffer): void {
    this.#isOver = true;
    const read = { status: this.#status, body: body.toString("utf8", 0, 65_536) };
    const failure = readUpstreamFailure(this.#target, this.#delivery.accepted, read);
    this.#done({ ...failure, status: failure.status < 400 ? 502 : failure.status });
  }

  failed(fault: UpstreamFault): void {
    // The client's leaving is no fault of the channel.
    if (fault.kind === "aborted") return this.#fail("network", "aborted", fault.message);
    const isTimeout = fault.kind === "idle_timeout";
    this.#fail(isTimeout ? "timeout" : "network", isTimeout ? "upstream_timeout" : "upstream_broken", fault.message);
  }
}
