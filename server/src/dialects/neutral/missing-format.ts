/**
 * Recognises failures which mean that the server lacks the path, or does not serve this model at it, rather than that the model does not exist;
 * part of the hub.
 */
import { objectOf, textOf } from "../json/fields.ts";

/**
 * `path`: the server does not serve the format. `model`: it serves the format, but not for this model, which has another. Both mean
 * that the same server may answer in another format.
 */
export type MissingFormat = "path" | "model";

export interface FailedAnswer {
  status: number;
  /** Undefined where the body is no JSON. */
  parsed: unknown;
  body: string;
  /** The vendor's message, not redacted; empty where none was found. */
  message: string;
  code: string;
}

/** LM Studio answers 200 for paths it does not have (github.com/lmstudio-ai/lmstudio-bug-tracker/issues/618). */
const UNEXPECTED_PATH = /^unexpected endpoint or method\b/i;

/**
 * FastAPI's and Spring's "Not Found" (vLLM, SGLang, LiteLLM), llama.cpp's "File Not Found", Go's "404 page not found" (Ollama), Azure's
 * "Resource not found".
 */
const NOTHING_THERE = /^\W*(?:404\W+)?(?:(?:page|file|resource|path|endpoint|url|route)\s+)?not[ _]found\W*$/i;

/** "Invalid URL (POST /v1/responses)", "Unknown request URL: ...", "no Route matched with those values", "Cannot POST /v1/responses". */
const NAMES_A_PATH = /\b(?:url|route|endpoint|static resource|path)\b|\bcannot (?:post|get)\b/i;
const SAYS_NO = /\b(?:not[ _]found|invalid|unknown|unexpected|unrecogni[sz]ed|no|cannot|does(?: not|n't) exist)\b/i;
/** What else a 404 speaks of: models, deployments, and the stored items and answers of Responses. */
const NAMES_A_THING =
  /\b(?:models?|deployments?|items?|previous[ _]response|response with id|conversations?|files?)\b/i;

const PATH_CODES: ReadonlySet<string> = new Set(["unknown_url", "url.not_found", "api_not_implemented"]);

/**
 * "This model is only supported in v1/responses and not in v1/chat/completions", "This is not a chat model and thus not supported in the
 * v1/chat/completions endpoint" and "... is not supported with the Responses API" (OpenAI; for the second
 * github.com/micz/ThunderAI/issues/570, for the third github.com/Laisky/one-api/issues/88).
 */
const OTHER_FORMAT =
  /\bonly supported in v1\/|\bnot supported in the v1\/chat\/completions endpoint|\bnot supported with the responses api\b|\bplease use \/v1\/responses\b/i;

/**
 * "Not found the model kimi-k2 or Permission denied", "Unsupported model `qwen` for OpenAI compatibility mode", "The model x does not support
 * this api". A setting that a model does not support is none of these.
 */
const REFUSED_MODELS: readonly RegExp[] = [
  /\b(?:unknown|unsupported|invalid|no such|not found the) model\b(?! parameter)/i,
  /\bmodel\b[^.,;]{0,120}\b(?:not found|does(?: not|n't) exist|not exist|is not (?:supported|available|allowed|open))\b/i,
  /\bmodel\b[^.,;]{0,120}\bdoes(?: not|n't) support (?:this|the)?\s*(?:\w+ )?(?:apis?|endpoint|protocol|interface|format|messages|responses)\b/i,
];
/** The last two are Zhipu's: there is no such model, or not for this call (docs.bigmodel.cn/cn/faq/api-code). */
const MODEL_CODES: ReadonlySet<string> = new Set([
  "model_not_found",
  "model_not_supported",
  "ModelNotFound",
  "1211",
  "1212",
]);
const STATUSES_OF_MODELS: ReadonlySet<number> = new Set([400, 404, 422]);

/** Whether a failure says that there is no such model where it was asked: a vendor may have it in another of its formats. */
export const refusesModel = ({ status, message, code }: Pick<FailedAnswer, "status" | "message" | "code">): boolean =>
  STATUSES_OF_MODELS.has(status) && (MODEL_CODES.has(code) || REFUSED_MODELS.some((pattern) => pattern.test(message)));

function isMissingPath({ parsed, body, message, code }: FailedAnswer): boolean {
  if (PATH_CODES.has(code) || PATH_CODES.has(textOf(objectOf(parsed)["error"]))) return true;
  // Pages and plain text come from routers; model servers answer in JSON.
  if (parsed === undefined) return body.trimStart().startsWith("<") || !NAMES_A_THING.test(body.slice(0, 500));
  // llama.cpp says "File Not Found" for a path.
  if (message === "" || NOTHING_THERE.test(message)) return true;
  return NAMES_A_PATH.test(message) && SAYS_NO.test(message) && !NAMES_A_THING.test(message);
}

/** Undefined where the failure says nothing of the format. */
export function missingFormatOf(answer: FailedAnswer): MissingFormat | undefined {
  const { status, parsed, body, message, code } = answer;
  if (UNEXPECTED_PATH.test(message)) return "path";
  // The page of a console that stands for every path its server does not know.
  if (status < 400) return parsed === undefined && body.trimStart().startsWith("<") ? "path" : undefined;
  if (OTHER_FORMAT.test(message)) return "model";
  // A gateway whose own channel for the model has no such conversion (github.com/QuantumNous/new-api, relay/responses_handler.go).
  if (code === "convert_request_failed" && /\bnot implemented\b/i.test(message)) return "model";
  if (status === 405 || status === 501) return "path";
  return status === 404 && isMissingPath(answer) ? "path" : undefined;
}
