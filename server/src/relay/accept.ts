/** Step 1: the body within its limits, and what it asks for. */
import type { IncomingMessage } from "node:http";
import type { RequestFacts } from "../dialects/dialect.ts";
import { ownName } from "../dialects/field-names.ts";
import { JsonFault, type JsonTop, readTopLevel } from "../dialects/json-bytes.ts";
import { createDecoder, isKnownEncoding } from "../upstream/decode.ts";
import type { Exchange } from "./exchange.ts";
import { formFacts, readForm } from "./form.ts";
import { meterOf } from "./meters.ts";
import { OPERATIONS, type OperationRule, neededFields } from "./operations.ts";
import { Refusal } from "./refusal.ts";
import { requestField } from "./request-field.ts";
import { refuseAmbiguous } from "./unambiguous.ts";

/** A body that brings nothing for this long is given up. */
const BODY_PAUSE_MS = 30_000;
/** What no vendor goes beyond (platform.openai.com/docs/api-reference/chat/create, n); it multiplies what is held and charged. */
const MOST_CHOICES = 128;
/** What the books have room for; a longer name is of no model, and would be repeated in the answer. */
const MODEL_CHARACTERS = 255;
const NOTHING: Readonly<Record<string, string>> = Object.freeze({});
/** Largest value of max_tokens that is no mistake (reference 4). */
const MAX_TOKENS_BOUND = 2 ** 30;

/** Collects bytes up to a bound that counts what they are after decoding; settles once. */
class BodyCollector {
  readonly #exchange: Exchange;
  readonly #resolve: (body: Buffer) => void;
  readonly #reject: (error: Refusal) => void;
  readonly #timer: NodeJS.Timeout;
  #parts: Buffer[] = [];
  #size = 0;
  #isOver = false;

  constructor(exchange: Exchange, pauseMs: number, resolve: (body: Buffer) => void, reject: (error: Refusal) => void) {
    this.#exchange = exchange;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.fail(new Refusal("body_too_slow")), pauseMs);
  }

  data(part: Buffer): void {
    if (this.#isOver || this.#exchange.isOver) return;
    this.#size += part.length;
    if (this.#size > this.#exchange.context.limits.bodyBytes) return this.fail(new Refusal("body_too_large"));
    if (!this.#exchange.context.budget.take(part.length)) return this.fail(new Refusal("over_capacity"));
    this.#exchange.budgetedBytes += part.length;
    this.#parts.push(part);
    if (this.#parts.length > 1) this.#timer.refresh();
  }

  ended(): void {
    if (this.#isOver) return;
    this.#finish();
    const only = this.#parts.length === 1 ? this.#parts[0] : undefined;
    this.#resolve(only ?? Buffer.concat(this.#parts));
  }

  fail(refusal: Refusal): void {
    if (this.#isOver) return;
    this.#finish();
    this.#reject(refusal);
  }

  #finish(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

function pipeBody(request: IncomingMessage, collector: BodyCollector): void {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") {
    request.on("data", (part: Buffer) => collector.data(part));
    request.on("end", () => collector.ended());
  } else {
    if (!isKnownEncoding(encoding)) return collector.fail(new Refusal("body_encoding"));
    const decoder = createDecoder(encoding, {
      data: (part) => collector.data(part),
      ended: () => collector.ended(),
      failed: () => collector.fail(new Refusal("body_encoding")),
      isBehind: (isBehind) => void (isBehind ? request.pause() : request.resume()),
    });
    request.on("data", (part: Buffer) => decoder?.write(part));
    request.on("end", () => decoder?.end());
    request.on("close", () => {
      // After a whole body the decoder is still at work.
      if (!request.complete) decoder?.destroy();
    });
  }
  request.on("error", () => collector.fail(new Refusal("body_too_slow")));
  request.on("aborted", () => collector.fail(new Refusal("body_too_slow")));
}

function readBody(exchange: Exchange): Promise<Buffer> {
  const declared = Number(exchange.request.headers["content-length"] ?? 0);
  if (declared > exchange.context.limits.bodyBytes) return Promise.reject(new Refusal("body_too_large"));
  return new Promise((resolve, reject) =>
    pipeBody(
      exchange.request,
      new BodyCollector(exchange, exchange.context.bodyPauseMs ?? BODY_PAUSE_MS, resolve, reject),
    ),
  );
}

/** Reads the body and fills body, facts, model and stream flag. Throws Refusal: 400, 408, 413, 503. */
export async function accept(exchange: Exchange): Promise<void> {
  const { asked, dialect, operation, context } = exchange;
  const body = await readBody(exchange);
  exchange.body = body;
  const rule = OPERATIONS[operation];
  const contentType = exchange.request.headers["content-type"] ?? "";
  if (isForm(rule, contentType)) exchange.form = await readForm(body, contentType);
  const facts =
    exchange.form === undefined
      ? dialect.readRequest(body, readTop(body, context.limits.jsonDepth), asked)
      : formFacts(exchange.form);
  exchange.facts = facts;
  exchange.model = normaliseModel(asked.model || facts.model || (rule.defaultModel ?? ""));
  exchange.isStream = rule.streams && asksForStream(exchange, rule, facts);
}

const isForm = ({ input }: OperationRule, contentType: string): boolean =>
  input === "form" || (input === "either" && !contentType.startsWith("application/json"));

const asksForStream = (exchange: Exchange, { streamField }: OperationRule, facts: RequestFacts): boolean =>
  streamField === undefined ? facts.isStream : requestField(exchange, streamField[0]) === streamField[1];

function readTop(body: Buffer, maxDepth: number): JsonTop {
  try {
    return readTopLevel(body.toString("latin1"), maxDepth);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new Refusal(error.kind === "depth" ? "json_too_deep" : "invalid_json", { message: `${error.message}.` });
  }
}

/** Custom GPTs share one entry of the price and ability tables (reference 3). */
function normaliseModel(model: string): string {
  if (model.startsWith("gpt-4-gizmo")) return "gpt-4-gizmo-*";
  return model.startsWith("gpt-4o-gizmo") ? "gpt-4o-gizmo-*" : model;
}

function refuseUnserved(exchange: Exchange): void {
  for (const [field, reason] of Object.entries(exchange.dialect.unserved ?? NOTHING))
    if (requestField(exchange, field) === true)
      throw new Refusal("not_served", { message: `'${field}' is not served: ${reason}.`, param: field });
}

/** Checks what every upstream would refuse; after authentication, so that strangers learn nothing. */
export function validate(exchange: Exchange): void {
  const { facts } = exchange;
  refuseAmbiguous(exchange);
  if (facts === undefined || exchange.model === "") throw new Refusal("model_missing", { param: "model" });
  if (exchange.model.length > MODEL_CHARACTERS) throw new Refusal("model_too_long", { param: "model" });
  for (const { field, code } of neededFields(exchange)) {
    if (!facts.top.fields.some(({ name }) => name === field)) throw new Refusal(code, { param: field });
  }
  refuseUnserved(exchange);
  meterOf(exchange.operation).check?.(exchange);
  if (facts.choices > MOST_CHOICES)
    throw new Refusal("choices_invalid", { param: ownName(exchange.dialect.fieldNames, "n") });
  if ((facts.maxTokens ?? 0) > MAX_TOKENS_BOUND) throw new Refusal("max_tokens_invalid", { param: "max_tokens" });
}
