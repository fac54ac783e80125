/** Trace context of a span: ids, and the header `traceparent` that carries them between programs (w3.org/TR/trace-context). */
import { randomBytes } from "node:crypto";

export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  isSampled: boolean;
}

const TRACE_ID_LENGTH = 32;
const SPAN_ID_LENGTH = 16;
/** Each draw of randomness is enough for so many characters of ids: one draw for each id would cost more than all else of a span. */
const POOL_BYTES = 8_192;

let pool = "";
let used = 0;

function randomHex(length: number): string {
  if (used + length > pool.length) {
    pool = randomBytes(POOL_BYTES).toString("hex");
    used = 0;
  }
  used += length;
  return pool.slice(used - length, used);
}

export const newTraceId = (): string => randomHex(TRACE_ID_LENGTH);
export const newSpanId = (): string => randomHex(SPAN_ID_LENGTH);

/** Version, trace id, parent id, flags; versions after 00 may have more behind a further hyphen. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const LONGEST_TRACEPARENT = 512;
const ZEROS = /^0+$/;

/** The caller's span; undefined where the header is absent, has another form, or names nothing. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  if (header === undefined || header.length > LONGEST_TRACEPARENT) return undefined;
  const [, version = "", traceId = "", spanId = "", flags = "", more] = TRACEPARENT.exec(header.trim()) ?? [];
  if (version === "" || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const traceparentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;

/** The last digits are random in every trace id, so all programs of one trace decide alike. As many as a number holds exactly. */
const RANDOM_DIGITS = 13;

/** True for `ratio` of all trace ids, 0 to 1. */
export const isWithinRatio = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) / 16 ** RANDOM_DIGITS >= 1 - ratio;
