/** What the relay and the dialects exchange about a request, an answer or an error beside its content; part of the hub. */
import type { JsonTop } from "../json/bytes.ts";
import type { JsonObject } from "./neutral.ts";
import type { EstimatedTokens } from "./token-estimate.ts";

/** What the relay needs to know of a JSON request; read from its bytes without parsing messages. */
export interface RequestInfo {
  top: JsonTop;
  /** Empty where it is missing or no string. */
  model: string;
  isStream: boolean;
  /** The client wants usage in its stream; always true where the dialect has it in every stream. */
  asksUsage: boolean;
  /** Bound of the answer's tokens; undefined where the client gave none that is a whole number above 0. */
  maxTokens: number | undefined;
  choices: number;
  /** Estimated tokens of the request's text. */
  words: EstimatedTokens;
  mediaParts: number;
}

/** What the client's path says, for the dialects that put model and streaming there. */
export interface PathInfo {
  /** Empty where the path names none. */
  model: string;
  isStream: boolean;
}

/** A required top-level field, and the error code of a request without it. */
export interface RequiredField {
  field: string;
  code: "messages_missing" | "input_missing" | "contents_missing" | "max_tokens_missing" | "prompt_missing";
}

/** What an error looks like before it is put into a dialect's envelope. */
export interface ErrorInfo {
  /** HTTP status it is or would have been sent with. */
  status: number;
  message: string;
  /** Type and code of OpenAI's envelope; the other dialects find their own by the status. */
  type: string;
  code: string;
  param: string | null;
  /** In which the client may ask again; absent or 0 where nothing is known of it. */
  retryAfterSeconds?: number;
  /** What else the vendor of the client's own format says of the fault, as it writes it. */
  details?: JsonObject;
  /** The vendor's own envelope, redacted, to be sent in place of one of ours. */
  verbatim?: string;
}

/** What an answer's envelope needs and the upstream's dialect does not have. */
export interface AnswerInfo {
  /** The model as the client named it. */
  model: string;
  requestId: string;
  /** Unix seconds. */
  createdAt: number;
  /** OpenAI's stream_options.include_usage; true in the other dialects. */
  asksUsage: boolean;
  /** Gemini's streams that are one JSON array instead of events. */
  isArray: boolean;
  /** Estimated tokens of the request, for formats that count them before the upstream has; absent where nothing was estimated. */
  inputTokens?: number;
  /** The client's own request, parsed, of a translated call: Responses repeats its settings, and its custom tools come back as such. */
  request?: JsonObject;
}
