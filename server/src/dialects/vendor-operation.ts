/** A call beside chat in a vendor's own format: encoded from OpenAI's request, and its answer decoded to OpenAI's. */
import type { BinaryBody, JsonObject, Warn } from "./neutral/neutral.ts";

/** A file of a request that came as a form. */
export interface RequestFile {
  bytes: Buffer;
  name: string;
  mimeType: string;
}

/** The request as OpenAI has it: its fields, and of a form its file beside them. */
export interface OperationRequest {
  fields: JsonObject;
  /** By the name of the form's field. */
  files: Readonly<Record<string, RequestFile>>;
}

export const isBinary = (body: JsonObject | BinaryBody): body is BinaryBody => Buffer.isBuffer(body.bytes);

/** A question that is a request of its own, at the address of the first: headers in place of those of the same name, in lower case. */
export interface PollRequest {
  headers: Readonly<Record<string, string>>;
  body: JsonObject;
}

/** A task that a vendor works on after it has taken it: it is asked how far it is until the answer is there. */
export interface Polling {
  /**
   * What says how far the task is, from the vendor's last answer and its first, which may be the same: a path behind the base URL, or a request; undefined once that is the
   * whole answer or a failure, which `decodeAnswer` and the provider's `failure` then read.
   */
  next(answer: JsonObject, first: JsonObject): string | PollRequest | undefined;
  /** Time between two questions, and for all of them, in milliseconds. */
  everyMs: number;
  limitMs: number;
}

export interface VendorOperation {
  /** False for keys with which the vendor is called in OpenAI's own format; true for all if absent. */
  isFor?(key: string): boolean;
  /** Behind the base URL. */
  path(model: string): string;
  /** Throws TranslationFault if the vendor cannot do what was asked; what is dropped without harm goes to `warn`. */
  encodeRequest(request: OperationRequest, warn: Warn): JsonObject | BinaryBody;
  /** OpenAI's answer with its `usage`, in which `prompt_tokens` stand for vectors and `total_tokens` for ranks; undefined where the body is no answer. */
  decodeAnswer(answer: JsonObject, request: OperationRequest): JsonObject | BinaryBody | undefined;
  /** The same of an answer that is no JSON; absent where all are. Audio needs none: it passes through. */
  decodeBytes?(answer: BinaryBody, request: OperationRequest): JsonObject;
  polling?: Polling;
  /** Its pictures are addresses in OpenAI's answer: they are fetched for clients that want bytes. */
  givesAddresses?: boolean;
}
