/** The server's logger: JSON lines with fields of a fixed list only, so that no key can be logged. */
import pino from "pino";
import type { DestinationStream, Logger } from "pino";

/** The only fields that may be logged: names, numbers or ids; texts from outside go through `redact`. */
const ALLOWED_FIELDS: ReadonlySet<string> = new Set([
  "requestId",
  // As OpenTelemetry spells them in logs of other formats (opentelemetry.io/docs/specs/otel/compatibility/logging_trace_context).
  "trace_id",
  "span_id",
  "method",
  "path",
  "status",
  "durationMs",
  "userId",
  "tokenId",
  "channelId",
  "model",
  "group",
  "operation",
  "dialect",
  "provider",
  "attempt",
  "attempts",
  "kind",
  "code",
  "reason",
  "engine",
  "version",
  "address",
  "port",
  "pid",
  "worker",
  "count",
  "steps",
  "schema",
  "minimum",
  "name",
  "option",
  "job",
  "feature",
  "bytes",
  "limit",
  "quota",
  "charge",
  "hold",
  "ip",
  "phase",
  "signal",
  "isHealthy",
  "lagMs",
  "error",
  "err",
  "detail",
  "url",
  "event",
  "actorId",
  "way",
]);

const MAXIMUM_TEXT = 2_000;

/** Patterns of keys of providers and of this gateway, credentials in URLs and queries, and bearer tokens. */
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, "$1 [hidden]"],
  [/\b(sk|pk|rk|gsk|xai|AIza|ghp|hf)[-_][A-Za-z0-9_-]{8,}/g, "$1-[hidden]"],
  [/\bAIza[A-Za-z0-9_-]{10,}/g, "[hidden]"],
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, "$1[hidden]@"],
  [/([?&](?:key|api[-_]?key|token|access_token|secret|password|code|signature|sig)=)[^&\s"]+/gi, "$1[hidden]"],
  [/\b[A-Za-z0-9]{48}\b/g, "[hidden]"],
];

/** Text with everything that looks like a secret removed, cut at 2,000 characters. */
export function redact(text: string): string {
  const cut = text.length > MAXIMUM_TEXT ? `${text.slice(0, MAXIMUM_TEXT)}…` : text;
  return SECRET_SHAPES.reduce((result, [shape, replacement]) => result.replace(shape, replacement), cut);
}

function describeError(error: Error): Record<string, unknown> {
  const code = "code" in error && typeof error.code === "string" ? { code: error.code } : {};
  return { type: error.name, message: redact(error.message), ...code, stack: redact(error.stack ?? "") };
}

function allowedValue(value: unknown): unknown {
  if (value instanceof Error) return describeError(value);
  if (typeof value === "string") return redact(value);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  return undefined; // An object could contain anything.
}

/** The allowed fields of an object; names of removed ones are kept, so that a missing field is noticed. */
function allowedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const allowed: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const kept = ALLOWED_FIELDS.has(name) ? allowedValue(value) : undefined;
    if (kept !== undefined) allowed[name] = kept;
    else if (value !== undefined) dropped.push(name);
  }
  return dropped.length === 0 ? allowed : { ...allowed, dropped: dropped.join(",") };
}

/** If the message is missing pino uses the error's, without any formatter: it is set here, redacted. */
function withMessage(parts: readonly unknown[]): unknown[] {
  const [first, ...rest] = parts.map((part) => (typeof part === "string" ? redact(part) : part));
  const error = first instanceof Error ? first : isWithError(first) ? first.err : undefined;
  const fields = first instanceof Error ? { err: first } : first;
  return error !== undefined && rest.length === 0 ? [fields, redact(error.message)] : [fields, ...rest];
}

const isWithError = (value: unknown): value is { err: Error } =>
  typeof value === "object" && value !== null && "err" in value && value.err instanceof Error;

/** A child's fields pass no formatter of its parent, so they are filtered before the child is created. */
function guardChildren(logger: Logger, makeChild: Logger["child"]): Logger {
  const child = (bindings: pino.Bindings) => {
    const made: Logger = Reflect.apply(makeChild, logger, [allowedFields(bindings)]);
    return guardChildren(made, makeChild);
  };
  return Object.assign(logger, { child });
}

export interface LoggerOptions {
  level: string;
  /** Standard output by default. */
  destination?: DestinationStream;
}

/** Creates the server's logger. Log as `logger.info({ requestId, status }, "fixed text")`. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: allowedFields },
    // The formatter's form of an error is final.
    serializers: { err: (value: unknown) => value },
    hooks: {
      logMethod(parts, method) {
        method.apply(this, withMessage(parts) as typeof parts);
      },
    },
  };
  const logger = destination === undefined ? pino(options) : pino(options, destination);
  return guardChildren(logger, logger.child);
}
