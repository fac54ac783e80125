/** The whole answer to a channel's test: collected, whatever it came as, and looked through for an answer of its operation. */
import { listOf, parseObject } from "../../dialects/json/fields.ts";
import { readEvent } from "../../dialects/stream/sse-event.ts";
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { Operation, UpstreamFailure } from "../../providers/provider.ts";
import type { ResponseHeaders, UpstreamSink } from "../../upstream/client.ts";
import { newFault, UpstreamFault, withoutUpstreamKey } from "../../upstream/fault.ts";
import { type Framer, framerFor } from "../../upstream/framing.ts";
import { SseSplitter } from "../../upstream/sse.ts";
import { withClockSkew } from "../attempt/failures.ts";
import type { Target } from "../call/target.ts";

const MAX_ANSWER_BYTES = 32 * 1_048_576;

export interface WholeAnswer {
  status: number;
  headers: ResponseHeaders;
  body: Buffer;
  isEvents: boolean;
}

/** Hears one answer to its end. */
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

/** What an answer came to: what it used, or why it is none. */
export type Verdict =
  | { kind: "answered"; usage: Usage | undefined }
  | { kind: "failed"; failure: UpstreamFailure }
  | { kind: "unreadable" };

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
  const take = (bytes: Buffer, text: string): void => {
    const { event, data } = readEvent(bytes, text);
    if (target.provider.isFailure?.(text) === true) error ??= data;
    for (const each of decoder.push(event, data)) {
      if (each.kind === "error") error ??= each.text;
      else if (each.kind === "finish") isFinished = true;
      else if (each.kind === "usage") rawUsage = each.raw;
    }
  };
  const splitter = new SseSplitter(MAX_ANSWER_BYTES);
  splitter.push(answer.body, take);
  const rest = splitter.close();
  if (rest.length > 0) take(rest, rest.toString("latin1"));
  if (error !== undefined) return failed(target, { ...answer, body: Buffer.from(error) });
  return isFinished ? { kind: "answered", usage: target.dialect.normaliseUsage(rawUsage)?.usage } : UNREADABLE;
}

function judgeChat({ dialect }: Target, parsed: JsonObject, text: string): Verdict {
  const answer = dialect.decodeAnswer(parsed);
  if (answer === undefined) return UNREADABLE;
  return { kind: "answered", usage: dialect.normaliseUsage(answer.rawUsage ?? dialect.findUsage(text))?.usage };
}

function judgeOperation(target: Target, operation: Operation, parsed: JsonObject): Verdict {
  const { operationCall, dialect } = target;
  const made = operationCall?.answer(parsed);
  if (operationCall !== undefined)
    return made === undefined ? UNREADABLE : { kind: "answered", usage: dialect.normaliseUsage(made.rawUsage)?.usage };
  if (HOLDS_ANSWER[operation]?.(parsed) !== true) return UNREADABLE;
  return { kind: "answered", usage: dialect.normaliseUsage(parsed["usage"])?.usage };
}

/** What came of a target's question. */
export function judgeAnswer(target: Target, operation: Operation, answer: WholeAnswer): Verdict {
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
