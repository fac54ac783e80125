/** Idempotency-Key: a call that is repeated with the same key is not made and not charged again; its answer is sent once more. */
import { hash } from "node:crypto";
import { checkAddress } from "./authenticate.ts";
import { type Exchange, type RelayContext, known } from "./exchange.ts";
import { Refusal } from "./refusal.ts";
import { writeStored } from "./respond.ts";
import { waitAtMost } from "./wait-at-most.ts";

/** A call that holds its key. */
export interface KeyedCall {
  tokenId: number;
  /** SHA-256, hexadecimal, of the key and of path and body. */
  keyHash: string;
  bodyHash: string;
  requestId: string;
  /** Unix seconds. */
  createdAt: number;
}

/** An answer in one piece, as its client got it. */
export interface KeptAnswer {
  status: number;
  contentType: string;
  body: Buffer;
}

/** The call that had the key first. */
export interface StoredCall {
  requestId: string;
  bodyHash: string;
  isRunning: boolean;
  /** Undefined where the answer was a stream, too large to keep, or has not come yet. */
  answer: KeptAnswer | undefined;
}

/** Where keys are kept for 24 hours, shared by all processes of a database. Methods reject where it does not answer. */
export interface IdempotencyStore {
  /** Takes the key, or gives the call that has it. */
  claim(call: KeyedCall): Promise<StoredCall | undefined>;
  /** Says how the call ended; `answer` where it can be sent again. */
  finish(call: KeyedCall, answer: KeptAnswer | undefined): Promise<void>;
  /** Frees the key of a call that came to nothing. */
  release(call: KeyedCall): Promise<void>;
}

/** Larger answers are not kept: a repeat of theirs is told the request id. */
const MOST_KEPT_BYTES = 262_144;
/** How long an answer waits for being kept; later it leaves all the same, and a repeat is told the request id. */
const KEEP_WAIT_MS = 2_000;
const HEADER = "idempotency-key";
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** A key that a call holds until the store is told how it ended. */
export class HeldKey {
  readonly #context: Pick<RelayContext, "idempotency" | "logger">;
  readonly #call: KeyedCall;
  #isTold = false;

  constructor(context: Pick<RelayContext, "idempotency" | "logger">, call: KeyedCall) {
    this.#context = context;
    this.#call = call;
  }

  /** What goes wrong is logged: the key then stays taken, which charges nobody twice. */
  async #tell(work: (store: IdempotencyStore) => Promise<void>): Promise<void> {
    if (this.#isTold) return;
    this.#isTold = true;
    try {
      await work(this.#context.idempotency);
    } catch (error) {
      const { requestId } = this.#call;
      this.#context.logger.error({ requestId, err: error }, "the end of a call with an idempotency key was not kept");
    }
  }

  /** Keeps an answer, then sends it: whoever has got it and asks again gets the same. */
  async keepThen(answer: KeptAnswer, send: () => void): Promise<void> {
    const kept = answer.body.length > MOST_KEPT_BYTES ? undefined : answer;
    await waitAtMost(
      this.#tell((store) => store.finish(this.#call, kept)),
      KEEP_WAIT_MS,
    );
    send();
  }

  /** The end of a call whose answer was not kept: one that was charged keeps the key taken, one that came to nothing frees it. */
  end(isCharged: boolean): Promise<void> {
    return this.#tell((store) => (isCharged ? store.finish(this.#call, undefined) : store.release(this.#call)));
  }
}

/** False for the calls without the header, which have nothing to wait for, and for those without a token to keep it under. */
export const hasKey = ({ request, asked }: Exchange): boolean =>
  request.headers[HEADER] !== undefined && asked.isPlayground !== true;

/** What makes two requests the same: of a form the parts, since each time it is sent it has another boundary. */
function contentOf({ body, form }: Exchange): Uint8Array[] {
  if (form === undefined) return [body];
  return form.parts.flatMap(({ name, isFile, fileName, mimeType, valueStart, valueEnd }) => [
    Buffer.from(`${JSON.stringify([name, isFile, fileName, mimeType, valueEnd - valueStart])}\n`),
    body.subarray(valueStart, valueEnd),
  ]);
}

function callOf(exchange: Exchange): KeyedCall {
  const key = String(exchange.request.headers[HEADER]);
  if (!KEY.test(key)) throw new Refusal("idempotency_key_invalid");
  const { requestId, createdAt, path } = exchange;
  const bodyHash = hash("sha256", Buffer.concat([Buffer.from(`${path}\n`), ...contentOf(exchange)]), "hex");
  return {
    tokenId: known(exchange.token, "token").id,
    keyHash: hash("sha256", key, "hex"),
    bodyHash,
    requestId,
    createdAt,
  };
}

async function claim({ context, requestId }: Exchange, call: KeyedCall): Promise<StoredCall | undefined> {
  try {
    return await context.idempotency.claim(call);
  } catch (error) {
    context.logger.error({ requestId, err: error }, "an idempotency key could not be claimed");
    throw new Refusal("idempotency_unavailable");
  }
}

function takenRefusal({ isRunning, requestId }: StoredCall): Refusal {
  const state = isRunning ? "is still under way" : "was answered, and its answer is not kept";
  const message = `A call with this Idempotency-Key ${state}; it has the request id ${requestId}.`;
  return new Refusal("idempotency_key_taken", { message });
}

/**
 * Takes the key for this call, or answers with what the call that has it was answered, and gives true. Throws Refusal: 400, 403, 409
 * (no answer to send again, the message has the request id), 422 (another request had the key), 503.
 */
export async function recall(exchange: Exchange): Promise<boolean> {
  checkAddress(known(exchange.token, "token"), exchange.address);
  const call = callOf(exchange);
  const stored = await claim(exchange, call);
  if (stored === undefined) {
    exchange.heldKey = new HeldKey(exchange.context, call);
    return false;
  }
  if (stored.bodyHash !== call.bodyHash) throw new Refusal("idempotency_key_reused");
  if (stored.answer === undefined) throw takenRefusal(stored);
  writeStored(exchange, stored.requestId, stored.answer);
  return true;
}
