/** An answer in one piece: collected, looked through for its usage, and sent once the charge is committed. */
import { findUsage } from "../dialects/openai-chat-usage.ts";
import type { Operation } from "../providers/provider.ts";
import type { ResponseHeaders } from "../upstream/client.ts";
import { withoutKey } from "../upstream/conceal.ts";
import type { UpstreamFault } from "../upstream/fault.ts";
import type { Exchange, Target } from "./exchange.ts";
import type { Reply, ReplyDone } from "./reply.ts";
import { writeWhole } from "./respond.ts";

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
    for (let index = 0; index < value.length; index += 1) {
      if (value.charCodeAt(index) < 128) words.asciiBytes += 1;
    }
    words.otherBytes += Buffer.byteLength(value) - (value.length - countOther(value));
  } else if (Array.isArray(value)) for (const each of value) countWords(each, words, isWord);
  else if (typeof value === "object" && value !== null) {
    for (const [name, each] of Object.entries(value)) countWords(each, words, WORD_KEYS.has(name));
  }
}

function countOther(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 127) count += 1;
  return count;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const hasError = (parsed: unknown): boolean =>
  typeof parsed === "object" &&
  parsed !== null &&
  "error" in parsed &&
  parsed.error !== null &&
  parsed.error !== undefined &&
  !("choices" in parsed);

/** True where the upstream's usage counts an answer, or the operation has none to count. */
function countsOutput(rawUsage: unknown, operation: Operation): boolean {
  if (typeof rawUsage !== "object" || rawUsage === null) return false;
  const count = (rawUsage as Record<string, unknown>)[
    operation === "embeddings" ? "prompt_tokens" : "completion_tokens"
  ];
  return typeof count === "number" && count > 0;
}

export class WholeReply implements Reply {
  readonly #exchange: Exchange;
  readonly #target: Target;
  readonly #status: number;
  readonly #headers: ResponseHeaders;
  readonly #done: ReplyDone;
  #parts: Buffer[] = [];
  #size = 0;
  #isOver = false;

  constructor(exchange: Exchange, target: Target, status: number, headers: ResponseHeaders, done: ReplyDone) {
    this.#exchange = exchange;
    this.#target = target;
    this.#status = status;
    this.#headers = headers;
    this.#done = done;
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    if (!this.#exchange.context.budget.take(chunk.length)) return this.#overflow();
    this.#exchange.budgetedBytes += chunk.length;
    this.#size += chunk.length;
    this.#parts.push(chunk);
  }

  #overflow(): void {
    this.#exchange.call?.abort();
    this.#fail("overloaded", "over_capacity", "the gateway has no memory left for this answer");
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
    const rawUsage = findUsage(text);
    const words: Words = { asciiBytes: 0, otherBytes: 0 };
    if (!countsOutput(rawUsage, this.#exchange.operation)) {
      // Rare, and the one case in which the whole is parsed: it may be an error that came with a status of success.
      const parsed = parse(body.toString("utf8"));
      if (parsed === undefined || hasError(parsed)) return this.#refuse(body);
      countWords(parsed, words);
    }
    this.#isOver = true;
    this.#exchange.answer = {
      end: "complete",
      status: this.#status,
      rawUsage,
      ...words,
      isDelivered: true,
      complete: () => writeWhole(this.#exchange, this.#status, this.#headers, body, text),
    };
    this.#done(undefined);
  }

  /** A success without an answer in it is a failure, and another channel may do better. */
  #refuse(body: Buffer): void {
    this.#isOver = true;
    const { provider, channel } = this.#target;
    const failure = provider.failure(this.#status, withoutKey(body.toString("utf8", 0, 65_536), channel.key));
    this.#done({ ...failure, status: failure.status < 400 ? 502 : failure.status });
  }

  failed(fault: UpstreamFault): void {
    const isTimeout = fault.kind === "idle_timeout";
    this.#fail(isTimeout ? "timeout" : "network", isTimeout ? "upstream_timeout" : "upstream_broken", fault.message);
  }
}
