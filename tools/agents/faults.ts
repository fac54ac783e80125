/** Faults of an upstream as each vendor has them, for the comparison of coding agents with and without the relay: a limit, failures, a stream that breaks off and one that ends in an error. */
import type { Plan, SeenRequest } from "../../tests/fake-upstream/plan.ts";
import { DEFAULT_VENDOR, vendorOf } from "../../tests/fake-upstream/vendors.ts";

type Format = "chat" | "responses" | "messages" | "gemini";

/** The format of a call, by its path. */
function formatOf({ path }: SeenRequest): Format {
  if (path.includes("/messages")) return "messages";
  if (path.includes("/responses")) return "responses";
  return /:\w*[gG]enerateContent/.test(path) ? "gemini" : "chat";
}

/** Of a limit. */
const WAIT_SECONDS = 2;

const RETRY_INFO = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${WAIT_SECONDS}s` };

interface Refusal {
  status: number;
  error: object;
  headers?: Readonly<Record<string, string>>;
}

type Refusals = Readonly<Record<"openai" | "messages" | "gemini", Refusal>>;

const RETRY_AFTER = { "retry-after": String(WAIT_SECONDS) };

/** developers.openai.com/api/docs/guides/error-codes, platform.claude.com/docs/en/api/errors, ai.google.dev/gemini-api/docs/troubleshooting. */
const REFUSALS: Readonly<Record<string, Refusals>> = {
  "429 with a wait": {
    openai: {
      status: 429,
      headers: RETRY_AFTER,
      error: { message: "Rate limit reached for requests", type: "requests", param: null, code: "rate_limit_exceeded" },
    },
    messages: {
      status: 429,
      headers: RETRY_AFTER,
      error: { type: "rate_limit_error", message: "This request would exceed your account's rate limit." },
    },
    gemini: {
      status: 429,
      error: { code: 429, message: "Resource exhausted.", status: "RESOURCE_EXHAUSTED", details: [RETRY_INFO] },
    },
  },
  "500 internal": {
    openai: {
      status: 500,
      error: { message: "The server had an error.", type: "server_error", param: null, code: null },
    },
    messages: { status: 500, error: { type: "api_error", message: "Internal server error" } },
    gemini: { status: 500, error: { code: 500, message: "An internal error has occurred.", status: "INTERNAL" } },
  },
  "503 or 529 overloaded": {
    openai: {
      status: 503,
      error: { message: "The engine is currently overloaded.", type: "server_error", param: null, code: null },
    },
    messages: { status: 529, error: { type: "overloaded_error", message: "Overloaded" } },
    gemini: { status: 503, error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } },
  },
};

function refusalPlan(refusals: Refusals, seen: SeenRequest): Plan {
  const format = formatOf(seen);
  const { status, error, headers = {} } = refusals[format === "chat" || format === "responses" ? "openai" : format];
  const envelope = format === "messages" ? { type: "error", error } : { error };
  return { status, headers, rawBody: JSON.stringify(envelope), contentType: "application/json" };
}

const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const BROKEN = "The server had an error while processing your request.";

/** The last event of a stream that fails. */
const ERROR_EVENTS: Readonly<Record<Format, string>> = {
  chat: `data: ${JSON.stringify({ error: { message: BROKEN, type: "server_error", param: null, code: null } })}\n\n`,
  responses: event("response.failed", {
    type: "response.failed",
    sequence_number: 9,
    response: {
      id: "resp_turnpike0001",
      object: "response",
      status: "failed",
      error: { code: "server_error", message: BROKEN },
      output: [],
      usage: null,
    },
  }),
  messages: event("error", { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
  gemini: `data: ${JSON.stringify({ error: { code: 503, message: BROKEN, status: "UNAVAILABLE" } })}\r\n\r\n`,
};

/** The first half of a stream in the vendor's own events. */
function firstHalf(seen: SeenRequest): readonly string[] {
  const frames = (vendorOf(seen) ?? DEFAULT_VENDOR).frames(seen, { text: "I look at the numbers first.", chunks: 6 });
  return frames.slice(0, Math.ceil(frames.length / 2));
}

function brokenOff(seen: SeenRequest): Plan {
  const rawBody = firstHalf(seen);
  // Within the last event: Answer cuts where bytes are left.
  return { rawBody, cutAtByte: Buffer.byteLength(rawBody.join("")) - 1, cutBy: "destroy" };
}

const failing = (seen: SeenRequest): Plan => ({ rawBody: [...firstHalf(seen), ERROR_EVENTS[formatOf(seen)]] });

export interface Fault {
  name: string;
  /** Calls that meet it before the upstream is well again. */
  calls: number;
  /** For how long it asks to be left alone. */
  waitMs: number;
  plan: (seen: SeenRequest) => Plan;
}

export const FAULTS: readonly Fault[] = [
  ...Object.entries(REFUSALS).map(([name, refusals]) => ({
    name,
    calls: 2,
    waitMs: refusals.openai.headers === undefined ? 0 : WAIT_SECONDS * 1000,
    plan: (seen: SeenRequest) => refusalPlan(refusals, seen),
  })),
  { name: "a stream that breaks off", calls: 1, waitMs: 0, plan: brokenOff },
  { name: "an error in a stream", calls: 1, waitMs: 0, plan: failing },
];
