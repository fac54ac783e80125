/** The response envelope of the console API, and the mapping from errors to it. */
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Logger } from "pino";
import { AppError, UNAVAILABLE_SECONDS } from "../../../../contract/src/errors.ts";
import { SlowQuestion } from "../../db/engines/questions.ts";
import { isRetryable } from "../../db/portable.ts";

const NO_STORE = { "Cache-Control": "no-store" } as const;

/**
 * JSON with its length in bytes. By it the compression of hono leaves answers below 1 KiB as they are; without it each of them, of a hundred
 * bytes too, went through a gzip stream, which costs more than the rest of a small call.
 */
function sendJson(
  c: Context,
  body: object,
  status: ContentfulStatusCode,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return c.body(bytes, status, {
    ...NO_STORE,
    "Content-Type": "application/json",
    "Content-Length": String(bytes.byteLength),
    ...headers,
  });
}

/** A good answer; `data` and the keys of `extra` are left out where undefined. */
export function succeed(
  c: Context,
  answer: {
    data?: unknown;
    extra?: object;
    message?: string;
    headers?: Readonly<Record<string, string>>;
    success?: false;
    hasMessage?: false;
  },
): Response {
  const { data, extra, message = "", headers, success = true, hasMessage = true } = answer;
  const body = { success, ...(hasMessage && { message }), ...(data === undefined ? {} : { data }), ...extra };
  return sendJson(c, body, 200, headers);
}

/** Leads the browser to a page of this site. */
export const redirectTo = (c: Context, location: string): Response =>
  c.body(null, 302, { ...NO_STORE, Location: location });

const RETRY_LATER = { "Retry-After": String(UNAVAILABLE_SECONDS) };

/** A few words to another site's program; the answer of an unknown path where there are none. */
export const answerCallback = (
  c: Context,
  answer: { status: ContentfulStatusCode; text: string } | undefined,
): Response =>
  answer === undefined
    ? unknownPath(c)
    : c.text(answer.text, answer.status, answer.status === 503 ? { ...NO_STORE, ...RETRY_LATER } : NO_STORE);

/** The envelope of an error that is meant for the caller. */
function failWith(c: Context, error: AppError, headers: Readonly<Record<string, string>> = {}): Response {
  const body = {
    success: false,
    message: error.message,
    code: error.code,
    ...(error.field === undefined ? {} : { field: error.field }),
    ...(error.values === undefined ? {} : { values: error.values }),
  };
  return sendJson(c, body, error.status as ContentfulStatusCode, headers);
}

/** Any thrown value as an answer: ours as it is, everything else logged and answered 503 or 500 without a word of it. */
export function failWithAny(c: Context, error: unknown, logger: Logger): Response {
  const call = { requestId: c.res.headers.get("x-oneapi-request-id"), method: c.req.method, path: c.req.path };
  if (error instanceof AppError) {
    if (error.status >= 500) logger.error({ ...call, err: error, detail: error.detail }, "console call failed");
    return failWith(
      c,
      error,
      error.retryAfterSeconds > 0 ? { "Retry-After": String(error.retryAfterSeconds) } : undefined,
    );
  }
  if (error instanceof SlowQuestion) {
    // A request for too much is no internal error.
    logger.warn(call, "a question of a user took too long");
    return failWith(c, new AppError("question_too_slow"), RETRY_LATER);
  }
  logger.error({ ...call, err: error }, "console call failed");
  return failWith(c, new AppError(isRetryable(error) ? "database_unavailable" : "internal"));
}

/** 429 that knows when to come back. */
export const tooManyRequests = (retryAfterSeconds: number): AppError =>
  new AppError("too_many_requests", { retryAfterSeconds });

/** 404 of a path that no endpoint has, in the shape the clients of this API family know. */
export function unknownPath(c: Context): Response {
  const message = `Invalid URL (${c.req.method} ${c.req.path})`;
  const error = { message, type: "invalid_request_error", param: "", code: "" };
  return sendJson(c, { success: false, message, error }, 404);
}

/** @example return { data: rows, headers: totalHeader(total) }; */
/** Pages of any other site may read the answer: for what the operator publishes, as visitors without a session see it. */
export const FOR_ANY_SITE = { "Access-Control-Allow-Origin": "*" } as const;

export const totalHeader = (total: number) => ({ "X-Total-Count": String(total) });
