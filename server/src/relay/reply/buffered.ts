/** An answer in one piece: collected, looked through for its usage, and sent once the charge is committed. */
import type { Usage } from "../../../contract/src/usage.ts";
import { parseExactObject } from "../dialects/exact-json.ts";
import type { JsonObject } from "../dialects/neutral.ts";
import type { OperationCall } from "../dialects/operation-codec.ts";
import { countBytes } from "../dialects/pipe.ts";
import type { Operation } from "../providers/provider.ts";
import type { ResponseHeaders } from "../upstream/client.ts";
import { withoutKey } from "../upstream/conceal.ts";
import type { UpstreamFault } from "../upstream/fault.ts";
import { answerForm } from "./answer-form.ts";
import type { Exchange, Target } from "./exchange.ts";
import type { Reply, ReplyDone } from "./reply.ts";
import { type ReadAnswer, answerReader } from "./operation-answers.ts";
import { OPERATIONS } from "./operations.ts";
import { answerFacts, writeAsStream, writeText, writeWhole } from "./respond.ts";
import { type ToldTier, toldTier } from "./told-tier.ts";

/** Keys whose values are the answer's words, for an estimate where the upstream counted nothing. */
const WORD_KEYS: ReadonlySet<string> = new Set([
  "content",
  "reasoning_content",
  "reasoning",
  "text",
  "arguments",
  "refusal",
]);

interface Words {
  asciiBytes: number;
  otherBytes: number;
}

function countWords(value: unknown, words: Words, isWord = false): void {
  if (typeof value === "string") {
    if (!isWord) return;
    const { asciiBytes, otherBytes } = countBytes(value);
    words.asciiBytes += asciiBytes;
    words.otherBytes += otherBytes;
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

export class WholeReply implements Reply {
  readonly #exchange: Exchange;
  readonly #target: Target;
  readonly #status: number;
  readonly #headers: ResponseHeaders;
  readonly #done: ReplyDone;
  readonly #told: ToldTier | undefined;
  #parts: Buffer[] = [];
  #size = 0;
  #isOver = false;

  constructor(exchange: Exchange, target: Target, status: number, headers: ResponseHeaders, done: ReplyDone) {
    this.#exchange = exchange;
    this.#target = target;
    this.#status = status;
    this.#headers = headers;
    this.#done = done;
    this.#told = toldTier(target, headers);
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    if (!this.#exchange.context.budget.take(chunk.length)) return this.#overflow();
    this.#exchange.budgetedBytes += chunk.length;
    this.#size += chunk.length;
    this.#parts.push(chunk);
  }

  #overflow(): void {
    this.#fail("overloaded", "over_capacity", "the gateway has no memory left for this answer");
    this.#exchange.call?.abort();
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
    const { operation } = this.#exchange;
    const isJson = OPERATIONS[operation].answersJson || isJsonType(this.#headers);
    if (isJson && !endsAsObject(text)) return this.#refuse(body);
    const rawUsage = isJson ? dialect.findUsage(text) : undefined;
    if (isJson) this.#told?.read(text, false);
    const words: Words = { asciiBytes: 0, otherBytes: 0 };
    const isEncoded = dialect !== this.#exchange.dialect || this.#lacksEvents;
    const write = (): void => writeWhole(this.#exchange, this.#status, this.#headers, body, text);
    const form = answerForm(this.#exchange, this.#target);
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

  #answered(read: ReadAnswer, words: Words, complete: (usage: Usage) => void): void {
    this.#isOver = true;
    const [status, tier] = [this.#status, this.#told?.tier];
    this.#exchange.answer = { end: "complete", status, tier, ...read, ...words, isDelivered: true, complete };
    this.#done(undefined);
  }

  /** The upstream's own answer in another form. */
  #writeOwn(fields: JsonObject): void {
    const body = Buffer.from(JSON.stringify(fields));
    writeWhole(this.#exchange, this.#status, this.#headers, body, body.toString("latin1"));
  }

  /** A stream was asked for, which the client's format can be given although the upstream sent none. */
  get #lacksEvents(): boolean {
    return this.#exchange.isStream && this.#exchange.operation === "chat";
  }

  /** An answer that does not go on in its own bytes: to a client of another format, or as the stream it asked for. */
  #encoded(parsed: JsonObject, rawUsage: unknown, words: Words, body: Buffer): void {
    const { dialect, call } = this.#target;
    if (call !== undefined) return this.#bridged(call, parsed, words, body);
    const answer = dialect.decodeAnswer(parsed);
    if (answer === undefined) return this.#refuse(body);
    const [exchange, headers] = [this.#exchange, this.#headers];
    this.#answered({ rawUsage: answer.rawUsage ?? rawUsage }, words, (usage) => {
      if (exchange.isStream) return writeAsStream(exchange, this.#target, headers, answer, usage);
      const fields = exchange.dialect.encodeAnswer(answer, usage, answerFacts(exchange));
      const form = answerForm(exchange, this.#target);
      writeText(exchange, this.#status, headers, JSON.stringify(form?.(fields) ?? fields));
    });
  }

  /** The answer of a call beside chat. */
  #bridged(call: OperationCall, parsed: JsonObject, words: Words, body: Buffer): void {
    const answer = call.answer(parsed);
    if (answer === undefined) return this.#refuse(body);
    const { rawUsage, pictures } = answer;
    this.#answered({ rawUsage, ...(pictures === undefined ? {} : { pictures }) }, words, (usage) => {
      const fields = answer.encode(usage, answerFacts(this.#exchange));
      writeText(this.#exchange, this.#status, this.#headers, JSON.stringify(fields));
    });
  }

  /** A success without an answer in it is a failure, and another channel may do better. */
  #refuse(body: Buffer): void {
    this.#isOver = true;
    const { provider, channel } = this.#target;
    const failure = provider.failure(this.#status, withoutKey(body.toString("utf8", 0, 65_536), channel.key));
    this.#done({ ...failure, status: failure.status < 400 ? 502 : failure.status });
  }

  failed(fault: UpstreamFault): void {
    // The client's leaving is no fault of the channel.
    if (fault.kind === "aborted") return this.#fail("network", "aborted", fault.message);
    const isTimeout = fault.kind === "idle_timeout";
    this.#fail(isTimeout ? "timeout" : "network", isTimeout ? "upstream_timeout" : "upstream_broken", fault.message);
  }
}
