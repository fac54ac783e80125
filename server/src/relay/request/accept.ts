/** Step 2: reads the body within its limits, and the fields of the request. */
import type { IncomingMessage } from "node:http";
import { JsonFault, type JsonTop, readTopLevel } from "../../dialects/json/bytes.ts";
import { StringSample } from "../../dialects/json/string-sample.ts";
import { createDecoder, isKnownEncoding } from "../../upstream/decode.ts";
import type { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/relay-error.ts";
import { type Accepted, type RequestBody, requestField } from "./accepted.ts";
import { formInfo, readForm } from "./multipart-form.ts";
import { OPERATIONS, type OperationRule } from "./operations.ts";
import { type Endpoint, upstreamPath } from "./paths.ts";

/** A body that brings nothing for this long is given up. */
const BODY_PAUSE_MS = 30_000;
/** A body that holds so much already has to go on at the least rate: who sends a byte now and then keeps memory from others. */
const HURRIED_BYTES = 262_144;
const LEAST_BYTES_PER_SECOND = 1_024;

/** Collects bytes up to a bound that counts what they are after decoding; settles once. */
class BodyCollector {
  readonly #call: Call;
  readonly #resolve: (body: Buffer) => void;
  readonly #reject: (error: RelayError) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #rateTimer: NodeJS.Timeout;
  #parts: Buffer[] = [];
  #size = 0;
  #isOver = false;

  constructor(call: Call, pauseMs: number, resolve: (body: Buffer) => void, reject: (error: RelayError) => void) {
    this.#call = call;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.fail(new RelayError("body_too_slow")), pauseMs);
    let seenBytes = 0;
    this.#rateTimer = setInterval(() => {
      const isSlow = this.#size - seenBytes < (LEAST_BYTES_PER_SECOND * pauseMs) / 1000;
      if (isSlow && this.#size > HURRIED_BYTES) this.fail(new RelayError("body_too_slow"));
      seenBytes = this.#size;
    }, pauseMs);
  }

  data(part: Buffer): void {
    if (this.#isOver || this.#call.isOver) return;
    this.#size += part.length;
    if (this.#size > this.#call.context.limits.bodyBytes) return this.fail(new RelayError("body_too_large"));
    try {
      this.#call.requestMemory.take(part.length);
    } catch (error) {
      return this.fail(error as RelayError); // all it throws
    }
    this.#parts.push(part);
    this.#timer.refresh();
  }

  ended(): void {
    if (this.#isOver) return;
    const parts = this.#parts;
    this.#finish();
    this.#resolve(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts));
  }

  fail(refusal: RelayError): void {
    if (this.#isOver) return;
    this.#finish();
    this.#reject(refusal);
  }

  #finish(): void {
    this.#isOver = true;
    // The request's listeners keep this object for as long as the answer lasts.
    this.#parts = [];
    clearTimeout(this.#timer);
    clearInterval(this.#rateTimer);
  }
}

function pipeBody(request: IncomingMessage, collector: BodyCollector): void {
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || encoding === "identity") {
    request.on("data", (part: Buffer) => collector.data(part));
    request.on("end", () => collector.ended());
  } else {
    if (!isKnownEncoding(encoding)) return collector.fail(new RelayError("body_encoding"));
    const decoder = createDecoder(encoding, {
      data: (part) => collector.data(part),
      ended: () => collector.ended(),
      failed: () => collector.fail(new RelayError("body_encoding")),
      isBehind: (isBehind) => void (isBehind ? request.pause() : request.resume()),
    });
    request.on("data", (part: Buffer) => decoder?.write(part));
    request.on("end", () => decoder?.end());
    request.on("close", () => {
      // After a whole body the decoder is still at work.
      if (!request.complete) decoder?.destroy();
    });
  }
  request.on("error", () => collector.fail(new RelayError("body_too_slow")));
  request.on("aborted", () => collector.fail(new RelayError("body_too_slow")));
}

/** A small body mostly came in one piece with its head: there is nothing to wait for, or to watch. Throws RelayError 429 or 503. */
function bodyAtHand({ request, requestMemory, context }: Call): Buffer | undefined {
  const { "content-length": declared, "content-encoding": encoding } = request.headers;
  const bytes = request.readableLength;
  if (encoding !== undefined || Number(declared) !== bytes || bytes > context.limits.bodyBytes) return undefined;
  const body = request.read() as Buffer | null;
  if (body === null) return undefined;
  requestMemory.take(body.length);
  return body;
}

function readBody(call: Call): Promise<Buffer> {
  const declared = Number(call.request.headers["content-length"] ?? 0);
  if (declared > call.context.limits.bodyBytes) return Promise.reject(new RelayError("body_too_large"));
  // A client that left while something was looked up for it sends nothing any more, and no event would say so.
  if (call.request.destroyed) return Promise.reject(new RelayError("body_too_slow"));
  return new Promise((resolve, reject) =>
    pipeBody(call.request, new BodyCollector(call, call.context.bodyPauseMs ?? BODY_PAUSE_MS, resolve, reject)),
  );
}

async function waitForBody(call: Call): Promise<Buffer> {
  const waitedSinceMs = performance.now();
  const body = await readBody(call);
  call.outsideMs += performance.now() - waitedSinceMs;
  return body;
}

/** Waits for the body and reads what it asks for. Rejects with RelayError: 400, 408, 413, 503. */
export async function accept(call: Call, endpoint: Endpoint): Promise<Accepted> {
  const { dialect, operation, context, request } = call;
  const body = bodyAtHand(call) ?? (await waitForBody(call));
  const rule = OPERATIONS[operation];
  const contentType = request.headers["content-type"] ?? "";
  const form = isForm(rule, contentType) ? await readForm(body, contentType) : undefined;
  const info = form === undefined ? dialect.readRequest(body, readTop(body, context), endpoint) : formInfo(form);
  return {
    endpoint,
    operation,
    dialect,
    path: upstreamPath(endpoint, request.url ?? "/"),
    body,
    info,
    form,
    model: normaliseModel(endpoint.model || info.model || (rule.defaultModel ?? "")),
    isStream: rule.streams && asksForStream({ body, info, form }, rule),
    fields: undefined,
  };
}

/** The call with another body, which was made of its own. Throws RelayError 400. */
export function withBody({ context }: Call, accepted: Accepted, body: Buffer): Accepted {
  const info = accepted.dialect.readRequest(body, readTop(body, context), accepted.endpoint);
  return { ...accepted, body, info, fields: undefined };
}

const isForm = ({ input }: OperationRule, contentType: string): boolean =>
  input === "form" || (input === "either" && !contentType.startsWith("application/json"));

const asksForStream = (request: RequestBody, { streamField }: OperationRule): boolean =>
  streamField === undefined ? request.info.isStream : requestField(request, streamField[0]) === streamField[1];

function readTop(body: Buffer, { limits, snapshot }: RelayContext): JsonTop {
  const { RequestEntryLimit } = snapshot.options;
  try {
    return readTopLevel(body.toString("latin1"), limits.jsonDepth, new StringSample(), RequestEntryLimit);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    if (error.kind === "entries") {
      const { field = "" } = error;
      const message = `The lists of '${field}' have more than ${RequestEntryLimit} entries, nested ones included.`;
      throw new RelayError("too_many_entries", { message, param: field });
    }
    throw new RelayError(error.kind === "depth" ? "json_too_deep" : "invalid_json", { message: `${error.message}.` });
  }
}

/** Custom GPTs share one entry of the price and ability tables. */
function normaliseModel(model: string): string {
  if (model.startsWith("gpt-4-gizmo")) return "gpt-4-gizmo-*";
  return model.startsWith("gpt-4o-gizmo") ? "gpt-4o-gizmo-*" : model;
}
