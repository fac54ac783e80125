/** The envelope of every console answer (design section 4), and how an error becomes one. */
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Logger } from "pino";
import { AppError } from "../../../contract/src/errors.ts";

const NO_STORE = { "Cache-Control": "no-store" } as const;

/** A good answer; `data` and the keys of `extra` are left out where undefined. */
export function succeed(
  c: Context,
  answer: {
    data?: unknown;
    extra?: object;
    message?: string;
    headers?: Readonly<Record<string, string>>;
    success?: false;
  },
): Response {
  const { data, extra, message = "", headers, success = true } = answer;
  const body = { success, message, ...(data === undefined ? {} : { data }), ...extra };
  return c.json(body, 200, { ...NO_STORE, ...headers });
}

/** The envelope of an error that is meant for the caller. */
function failWith(c: Context, error: AppError, headers: Readonly<Record<string, string>> = {}): Response {
  const body = {
    success: false,
    message: error.message,
    code: error.code,
    ...(error.field === undefined ? {} : { field: error.field }),
  };
  return c.json(body, error.status as ContentfulStatusCode, { ...NO_STORE, ...headers });
}

/** Any thrown value as an answer: ours as it is, everything else logged and answered 500 without a word of it. */
export function failWithAny(c: Context, error: unknown, logger: Logger): Response {
  if (error instanceof RateLimited) return failWith(c, error, { "Retry-After": String(error.retryAfterSeconds) });
  if (error instanceof AppError) {
    if (error.status >= 500) logger.error({ err: error, detail: error.detail }, "console call failed");
    return failWith(c, error);
  }
  logger.error({ err: error, method: c.req.method, path: c.req.path }, "console call failed");
  return failWith(c, new AppError("internal"));
}

/** 429 that knows when to come back. */
export class RateLimited extends AppError {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super("too_many_requests");
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 404 of a path that no endpoint has, in the shape the clients of this API family know. */
export function unknownPath(c: Context): Response {
  const message = `Invalid URL (${c.req.method} ${c.req.path})`;
  const error = { message, type: "invalid_request_error", param: "", code: "" };
  return c.json({ success: false, message, error }, 404, NO_STORE);
}
