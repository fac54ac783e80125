/** The errors that callers get: a code of error-codes.ts with its status and text, and never the internal cause. */
import { type ErrorCode, ERRORS } from "./error-codes.ts";

interface CallerErrorOptions<Code> {
  code: Code;
  status: number;
  message: string;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

const UNAVAILABLE = 503;
/** After which a 503 may be over where nothing says more: a database that restarts is back in less. */
export const UNAVAILABLE_SECONDS = 5;

/** The error that a caller gets for a failed call: code, HTTP status and text, but never the internal cause (a `Fault`). */
export abstract class CallerError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly status: number;
  /** Seconds after which a retry may succeed; 0 where waiting does not help. */
  readonly retryAfterSeconds: number;

  constructor({ code, status, message, retryAfterSeconds = 0, cause }: CallerErrorOptions<Code>) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.status = status;
    this.retryAfterSeconds =
      retryAfterSeconds === 0 && status === UNAVAILABLE ? UNAVAILABLE_SECONDS : retryAfterSeconds;
  }
}

export interface AppErrorOptions {
  message?: string;
  field?: string;
  /** Values that the translated sentence needs. */
  values?: Readonly<Record<string, string | number>>;
  retryAfterSeconds?: number;
  cause?: unknown;
  detail?: unknown;
}

/** An error of the console: its code decides status and translation, `message` replaces the catalogue's text. */
export class AppError extends CallerError<ErrorCode> {
  readonly field: string | undefined;
  /** Sent beside the message, for the console's translated sentence. */
  readonly values: AppErrorOptions["values"];
  /** For the server's log only. */
  readonly detail: unknown;

  constructor(code: ErrorCode, { field, values, detail, ...options }: AppErrorOptions = {}) {
    super({ code, ...ERRORS[code], ...options });
    this.field = field;
    this.values = values;
    this.detail = detail;
  }
}
