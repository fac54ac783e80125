/** The observation of one doctor call, read from its status, head and body. Pure. */
import type { Family } from "../connect/program.ts";
import type { SentCall } from "./calls.ts";
import type { Step } from "./steps.ts";

/** One read of a body. */
export interface HeardPiece {
  atMs: number;
  /** Characters of the whole text that had come by then. */
  end: number;
}

/** An answer as a transport heard it; times in milliseconds since the call was sent. */
export interface Heard {
  status: number;
  header: (name: string) => string;
  text: string;
  pieces: readonly HeardPiece[];
  endMs: number;
  /** The connection ended before the body did. */
  isCut: boolean;
}

/** What kept a call from any answer. */
export type Silence = "unreachable" | "timeout";

export interface Observation {
  step: Step;
  url: string;
  family: Family;
  /** 0 where there was no answer. */
  status: number;
  silence?: Silence;
  /** Code and words of the error that the answer names; "" where it names none. */
  code: string;
  message: string;
  requestId: string;
  /** The answer has the gateway's own mark, its request id; what has none comes from something in between. */
  isGateway: boolean;
  isJson: boolean;
  isEventStream: boolean;
  isRedirected: boolean;
  ms: number;
  /** Of a stream: its events, those of them that came in the last tenth of its time, its pieces, and those of them that end in the middle of an event. */
  events: number;
  lateEvents: number;
  pieces: number;
  cutPieces: number;
  /** The stream has the mark of its end. */
  isWhole: boolean;
  isCut: boolean;
  /** The answer calls the tool that was offered. */
  hasToolCall: boolean;
  /** Models that a list names. */
  models: readonly string[] | undefined;
  /** Seconds by which the server's clock is ahead of this one; undefined where its head has no date. */
  clockAheadS?: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The relay ends its sentences with the request id, which is shown beside them. */
const REQUEST_ID = / \(request id: [^)]*\)$/;
/** Longest words of an error that are kept. */
const MESSAGE_CHARACTERS = 500;

/** Gemini's errors have their code in `details`, the others beside the words. */
function errorOf(body: unknown): { code: string; message: string } {
  const { error } = fieldsOf(body);
  const { code, type, message, details } = fieldsOf(error);
  const reasons = Array.isArray(details) ? details.map((detail) => textOf(fieldsOf(detail)["reason"])) : [];
  const named = [textOf(code), ...reasons, textOf(type)].find((text) => text !== "") ?? "";
  const words = textOf(message) || textOf(error);
  return { code: named, message: words.replace(REQUEST_ID, "").slice(0, MESSAGE_CHARACTERS) };
}

/** Ends of whole streams: [DONE] of chat, `message_stop`, `response.completed`, and Gemini's reason for the end. */
const STREAM_END: Readonly<Record<Family, RegExp>> = {
  chat: /^data: ?\[DONE\]/m,
  messages: /"type": ?"message_stop"/,
  responses: /"type": ?"response\.(?:completed|incomplete)"/,
  gemini: /"finishReason"/,
};

const TOOL_CALL: Readonly<Record<Family, RegExp>> = {
  chat: /"tool_calls"/,
  messages: /"type": ?"tool_use"/,
  responses: /"type": ?"function_call"/,
  gemini: /"functionCall"/,
};

const modelsOf = (body: unknown): string[] | undefined => {
  const { data, models } = fieldsOf(body);
  const rows = Array.isArray(data) ? data : models;
  if (!Array.isArray(rows)) return undefined;
  return rows.map((row) => textOf(fieldsOf(row)["id"]) || textOf(fieldsOf(row)["name"]).replace(/^models\//, ""));
};

const NOTHING = {
  status: 0,
  code: "",
  message: "",
  requestId: "",
  isGateway: false,
  isJson: false,
  isEventStream: false,
  isRedirected: false,
  events: 0,
  lateEvents: 0,
  pieces: 0,
  cutPieces: 0,
  isWhole: false,
  isCut: false,
  hasToolCall: false,
  models: undefined,
} as const;

type Call = Pick<SentCall, "step" | "url"> & { family: Family };

export const silent = ({ step, url, family }: Call, silence: Silence, ms: number): Observation => ({
  ...NOTHING,
  step,
  url,
  family,
  silence,
  ms,
});

/** @param nowMs Unix milliseconds when the answer's head came, against which its date is held */
export function observe({ step, url, family }: Call, heard: Heard, nowMs: number): Observation {
  const { status, header, text, endMs, isCut } = heard;
  const named = header("turnpike-error");
  const isEventStream = header("content-type").includes("text/event-stream");
  const body = isEventStream ? undefined : parsed(text);
  const requestId = header("x-request-id");
  const date = Date.parse(header("date"));
  return {
    ...NOTHING,
    step,
    url,
    family,
    status,
    ...(isEventStream ? errorInStream(text) : errorOf(body)),
    // The envelopes of some formats have no place for the gateway's own code.
    ...(named === "" ? {} : { code: named }),
    requestId,
    // The console's own answers have the mark too, since they are the same server.
    isGateway: header("x-oneapi-request-id") !== "" || requestId !== "",
    isJson: body !== undefined,
    isEventStream,
    isRedirected: status >= 300 && status < 400,
    ms: endMs,
    ...paceOf(heard),
    isWhole: STREAM_END[family].test(text),
    isCut,
    hasToolCall: TOOL_CALL[family].test(text),
    models: modelsOf(body),
    clockAheadS: Number.isNaN(date) ? undefined : Math.round((date - nowMs) / 1000),
  };
}

/** Of the time that a stream took, the part before what counts as late. */
const LATE_PART = 0.9;
/** The empty line behind an event. */
const EVENT_END = /\r?\n\r?\n$/;

/** How the events of a stream came. */
function paceOf({ text, pieces, endMs }: Heard): Pick<Observation, "events" | "lateEvents" | "pieces" | "cutPieces"> {
  const events = [...text.matchAll(/^data:/gm)].map(({ index }) => index);
  const earlyEnd = pieces.findLast(({ atMs }) => atMs < endMs * LATE_PART)?.end ?? 0;
  const isCutInEvent = ({ end }: HeardPiece): boolean => !EVENT_END.test(text.slice(Math.max(0, end - 4), end));
  return {
    events: events.length,
    lateEvents: events.filter((start) => start >= earlyEnd).length,
    pieces: pieces.length,
    cutPieces: pieces.slice(0, -1).filter(isCutInEvent).length,
  };
}

/** An error that came after the head of a stream, in an event of its own. */
function errorInStream(text: string): { code: string; message: string } {
  for (const [, data = ""] of text.matchAll(/^data: ?(\{.*)$/gm)) {
    if (!data.includes('"error"')) continue;
    const found = errorOf(parsed(data));
    if (found.message !== "" || found.code !== "") return found;
  }
  return { code: "", message: "" };
}
