/** Idempotency-Key: a call repeated with the same key is neither made nor charged again; its stored answer is sent once more. */
import { hash } from "node:crypto";
import type { AnswerKeeper, Call, CallEnd, Charge } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import type { IdempotencyStore, KeptAnswer, KeyedCall, StoredCall } from "../call/ports.ts";
import { RelayError } from "../call/relay-error.ts";
import { writeStored } from "../call/respond.ts";
import { endsWithin } from "../../util/deadline.ts";
import type { Accepted } from "../request/accepted.ts";
import type { Endpoint } from "../request/paths.ts";
import { type Caller, checkAddress } from "./caller.ts";

/** Larger answers are not kept: a repeat of theirs gets the request id. */
const MAX_KEPT_BYTES = 262_144;
/** How long an answer waits to be stored; later it is sent anyway, and a repeat gets the request id. */
const KEEP_WAIT_MS = 2_000;
/** How long the end of a call waits for its key's. */
const END_WAIT_MS = 1_000;
const HEADER = "idempotency-key";
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** A key that a call holds until the store knows how it ended. */
class HeldKey implements CallEnd, AnswerKeeper {
  readonly #context: Pick<RelayContext, "idempotency" | "logger">;
  readonly #call: KeyedCall;
  readonly #logFields: Call["logFields"];
  #isFinished = false;

  constructor(call: Call, keyed: KeyedCall) {
    this.#context = call.context;
    this.#logFields = call.logFields;
    this.#call = keyed;
    call.atEnd(this);
  }

  /** What goes wrong is logged: the key then stays taken, which charges no call twice. */
  async #finish(work: (store: IdempotencyStore) => Promise<void>): Promise<void> {
    if (this.#isFinished) return;
    this.#isFinished = true;
    try {
      await work(this.#context.idempotency);
    } catch (error) {
      this.#context.logger.error(
        { ...this.#logFields, err: error },
        "the end of a call with an idempotency key was not kept",
      );
    }
  }

  /** Keeps an answer, then sends it: a client that has it and asks again gets the same. */
  async keepThen(answer: KeptAnswer, send: () => void): Promise<void> {
    const kept = answer.body.length > MAX_KEPT_BYTES ? undefined : answer;
    await endsWithin(
      this.#finish((store) => store.finish(this.#call, kept)),
      KEEP_WAIT_MS,
    );
    send();
  }

  /** Of an answer that was not kept: one that was delivered keeps the key taken, one that came to nothing frees it. */
  ended(_isSuccess: boolean, { isDelivered }: Charge): Promise<unknown> {
    return endsWithin(
      this.#finish((store) => (isDelivered ? store.finish(this.#call, undefined) : store.release(this.#call))),
      END_WAIT_MS,
    );
  }
}

/** False for the calls without the header, which have nothing to wait for, and for those without a token to keep it under. */
export const hasKey = ({ request }: Call, { isPlayground }: Endpoint): boolean =>
  request.headers[HEADER] !== undefined && isPlayground !== true;

/** What makes two requests the same: of a form the parts, since each time it is sent it has another boundary. */
function contentOf({ body, form }: Accepted): Uint8Array[] {
  if (form === undefined) return [body];
  return form.parts.flatMap(({ name, isFile, fileName, mimeType, valueStart, valueEnd }) => [
    Buffer.from(`${JSON.stringify([name, isFile, fileName, mimeType, valueEnd - valueStart])}\n`),
    body.subarray(valueStart, valueEnd),
  ]);
}

function keyedCall({ request, requestId, createdAt }: Call, accepted: Accepted, token: Caller["token"]): KeyedCall {
  const key = String(request.headers[HEADER]);
  if (!KEY.test(key)) throw new RelayError("idempotency_key_invalid");
  const content = Buffer.concat([Buffer.from(`${accepted.path}\n`), ...contentOf(accepted)]);
  const [keyHash, bodyHash] = [hash("sha256", key, "hex"), hash("sha256", content, "hex")];
  const { id: tokenId, userId } = token;
  return { tokenId, userId, keyHash, bodyHash, requestId, createdAt };
}

async function claim({ context, logFields }: Call, keyed: KeyedCall): Promise<StoredCall | undefined> {
  try {
    return await context.idempotency.claim(keyed);
  } catch (error) {
    context.logger.error({ ...logFields, err: error }, "an idempotency key could not be claimed");
    throw new RelayError("idempotency_unavailable");
  }
}

function keyTaken({ isRunning, requestId }: StoredCall): RelayError {
  const state = isRunning ? "is still under way" : "was answered, and its answer is not kept";
  const message = `A call with this Idempotency-Key ${state}; it has the request id ${requestId}.`;
  return new RelayError("idempotency_key_taken", { message });
}

/**
 * Takes the key for this call, or answers with what the call that has it was answered, and gives true. Throws RelayError: 400, 403, 409
 * (no answer to send again, the message has the request id), 422 (another request had the key), 503.
 */
export async function recall(call: Call, accepted: Accepted, { token, address }: Caller): Promise<boolean> {
  checkAddress(token, address);
  const keyed = keyedCall(call, accepted, token);
  const stored = await claim(call, keyed);
  if (stored === undefined) {
    call.keeper = new HeldKey(call, keyed);
    return false;
  }
  if (stored.bodyHash !== keyed.bodyHash) throw new RelayError("idempotency_key_reused");
  if (stored.answer === undefined) throw keyTaken(stored);
  writeStored(call, stored.requestId, stored.answer);
  return true;
}
