/** Reads what the relay said to a test call: the request id, tokens, or why not. Pure. */
import { type Shortage, shortageOf } from "../../../lib/shortage.ts";

export interface CallAnswer {
  requestId: string | undefined;
  /** Tokens in and out, where the answer says. */
  tokens: number | undefined;
}

/** A test call the relay or the upstream refused. `message` is the relay's own sentence. */
export class CallRefused extends Error {
  readonly status: number;
  readonly requestId: string | undefined;
  /** How much the call lacked, where the balance did not reach for it. */
  readonly shortage: Shortage | undefined;

  constructor(message: string, status: number, requestId: string | undefined, shortage?: Shortage) {
    super(message);
    this.name = "CallRefused";
    this.status = status;
    this.requestId = requestId;
    this.shortage = shortage;
  }
}

/** The relay ends its sentences with the request id, which is shown beside them. */
const REQUEST_ID = / \(request id: [^)]*\)$/;

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** Throws CallRefused for anything but an answer. `body` is the parsed JSON, undefined where it was none. */
export function readAnswer(status: number, requestId: string | undefined, body: unknown): CallAnswer {
  const { error, usage } = recordOf(body);
  if (status < 200 || status > 299 || error !== undefined) {
    const message = recordOf(error)["message"];
    throw new CallRefused(
      typeof message === "string" ? message.replace(REQUEST_ID, "") : `HTTP ${status}`,
      status,
      requestId,
      shortageOf(error),
    );
  }
  const total = recordOf(usage)["total_tokens"];
  return { requestId, tokens: typeof total === "number" ? total : undefined };
}

/** The smallest real call: one short question, or one text to embed. */
export const testBody = (model: string, operation: "chat" | "embeddings"): object =>
  operation === "chat"
    ? { model, messages: [{ role: "user", content: "Say hello." }], max_tokens: 64 }
    : { model, input: "hello" };
