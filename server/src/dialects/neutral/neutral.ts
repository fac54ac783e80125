/** The hub of the wire formats: requests, answers and stream events in the one shape that every dialect decodes to and encodes from. */
import { Fault } from "../../../../contract/src/fault.ts";
import type { ChargedTool } from "../../../../contract/src/pricing/usage.ts";

/** The wire formats, for clients and for upstreams; each has its files in this folder. */
export type DialectName = "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Bytes that are no JSON: a request of a recording, or an answer that is one. */
export interface BinaryBody {
  bytes: Buffer;
  mimeType: string;
}

/**
 * A signature of reasoning that a vendor wants back unchanged in the next turn. Only its own dialect understands the value; through a
 * client of another dialect it travels packed (signature.ts).
 */
export interface Signature {
  dialect: DialectName;
  value: string;
}

export type MediaSource =
  | { kind: "url"; url: string; mimeType?: string }
  | { kind: "base64"; mimeType: string; data: string };

/** The medium at its address, or in a `data:` URI. */
export const uriOf = (source: MediaSource): string =>
  source.kind === "url" ? source.url : `data:${source.mimeType};base64,${source.data}`;

/** A picture as Markdown, for answers that can hold text only. */
export const pictureText = (source: MediaSource): string => `![image](${uriOf(source)})`;

/** A cache breakpoint: the client asks the vendor to cache the prompt up to here. */
export interface CacheMark {
  /** Seconds the entry lives: 300 or 3600. */
  ttlSeconds: number;
}

/** Where a statement of an answer comes from. */
export interface Citation {
  url: string;
  title: string;
  /** Quote of the source; empty if the vendor gives none. */
  quote: string;
  /** Characters of the part's text that it stands behind, where the vendor says. */
  start?: number;
  end?: number;
}

/** The cache lifetimes that an upstream of the chat format supports: five minutes alone, or also an hour. */
export type CacheMarks = "short" | "any";

export interface TextPart {
  kind: "text";
  text: string;
  cache?: CacheMark;
  citations?: readonly Citation[];
}
export interface ImagePart {
  kind: "image";
  source: MediaSource;
  /** low, high, auto or original; only OpenAI has it. */
  detail?: string;
  cache?: CacheMark;
}
/** A PDF or another document. */
export interface FilePart {
  kind: "file";
  source: MediaSource;
  name?: string;
  cache?: CacheMark;
}
export interface AudioPart {
  kind: "audio";
  source: MediaSource;
}
export interface ToolCallPart {
  kind: "tool_call";
  id: string;
  name: string;
  /** JSON text as the model wrote it; `{}` for none. */
  arguments: string;
  signature?: Signature;
  cache?: CacheMark;
}
export interface ToolResultPart {
  kind: "tool_result";
  /** The call it answers. */
  id: string;
  /** Name of the tool, where the dialect of the client says it; hub code can look it up by the id (toolNames). */
  name?: string;
  parts: readonly (TextPart | ImagePart | FilePart)[];
  isError?: boolean;
  cache?: CacheMark;
}
/** Thinking of the model. Text may be empty where the vendor hides it and gives only the signature. */
export interface ReasoningPart {
  kind: "reasoning";
  text: string;
  signature?: Signature;
  /** True where the vendor withheld the text and the signature stands for all of it (Anthropic's redacted_thinking). */
  isRedacted?: boolean;
}
export interface RefusalPart {
  kind: "refusal";
  text: string;
}

/** A search of the web that the gateway made for the model, of answers alone: where upstreams make one they say so in their own words. */
export interface SearchPart {
  kind: "search";
  id: string;
  query: string;
  pages: readonly { url: string; title: string }[];
  /** Why there are none, by the codes of Anthropic's search. */
  error?: string;
}

export type NeutralPart =
  | SearchPart
  | TextPart
  | ImagePart
  | FilePart
  | AudioPart
  | ToolCallPart
  | ToolResultPart
  | ReasoningPart
  | RefusalPart;

/**
 * `user` may also hold tool results (they come first in it); `assistant` holds reasoning, text, refusals and tool calls in the order
 * they were made. `system` is an instruction in the middle of a conversation; those at its head are NeutralRequest.system.
 */
export interface NeutralMessage {
  role: "system" | "user" | "assistant";
  parts: readonly NeutralPart[];
  /** Name of the participant, where given. */
  name?: string;
}

export interface FunctionTool {
  kind: "function";
  name: string;
  description?: string;
  /** JSON Schema of the arguments; an empty object schema where the tool takes none. */
  parameters: JsonObject;
  isStrict?: boolean;
  cache?: CacheMark;
}
/** Search by the vendor itself. */
export interface WebSearchTool {
  kind: "web_search";
  contextSize?: "low" | "medium" | "high";
  maxUses?: number;
  allowedDomains?: readonly string[];
  blockedDomains?: readonly string[];
  /** approximate place: city, region, country, timezone. */
  location?: JsonObject;
}
/**
 * How a vendor of chat completions is asked to search the web: by OpenAI's `web_search_options`, by `enable_search` (Alibaba), or not at all.
 */
export type WebSearchSupport = "options" | "enable_search" | "none";
/** Where a vendor of chat completions takes a budget of thinking: in the object `reasoning` (OpenRouter), or in `thinking_budget` (Alibaba). */
export type ThinkingBudget = "reasoning" | "thinking_budget";
export type NeutralTool = FunctionTool | WebSearchTool;

export type ToolChoice = { kind: "auto" | "none" | "required" } | { kind: "tool"; name: string };

export type ResponseFormat =
  | { kind: "json" }
  | { kind: "json_schema"; name: string; schema: JsonObject; description?: string; isStrict?: boolean };

/** Efforts of all vendors in rising order; an encoder takes the nearest its vendor has. */
export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export interface Reasoning {
  effort?: Effort;
  /** Tokens the model may think; 0 switches thinking off. */
  budgetTokens?: number;
  /** The client wants to see the thoughts or a summary of them. */
  isShown?: boolean;
  /** Thinking in the measure the model itself finds right (Anthropic "adaptive", Gemini budget -1). */
  isAdaptive?: boolean;
}

/** A request for an answer of a language model. Absent fields were not set by the client. */
export interface NeutralRequest {
  /** The name the upstream knows, after the channel's mapping. */
  model: string;
  isStream: boolean;
  system: readonly TextPart[];
  messages: readonly NeutralMessage[];
  tools: readonly NeutralTool[];
  toolChoice?: ToolChoice;
  hasParallelToolCalls?: boolean;
  maxTokens?: number;
  /** The operator's bound where the client gave none, for vendors that insist on one. */
  defaultMaxTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  seed?: number;
  stop?: readonly string[];
  /** Answers asked for; 1 where absent. */
  choices?: number;
  hasLogprobs?: boolean;
  topLogprobs?: number;
  logitBias?: JsonObject;
  responseFormat?: ResponseFormat;
  reasoning?: Reasoning;
  /** The client's own name for its user. */
  user?: string;
  metadata?: JsonObject;
  serviceTier?: string;
  /** False if the client does not allow the vendor to store the conversation; absent if it did not say. */
  isKept?: false;
  /** low, medium or high: how long the answer should be (OpenAI). */
  verbosity?: string;
  /** Set if the upstream supports cache breakpoints in the chat format. */
  cacheMarks?: CacheMarks | undefined;
  /** How the upstream takes a thinking budget in the chat format; as an effort if absent. */
  thinkingBudget?: ThinkingBudget | undefined;
  /** Servers of many kinds are behind the channel: a model that is not known gets one of the three efforts that all of them take. */
  hasPlainEfforts?: boolean | undefined;
  /** How the upstream searches the web in the chat format; absent where that is not known. */
  webSearch?: WebSearchSupport | undefined;
  /** The gateway searches for models that cannot: a search is refused where the upstream is not known to make it. */
  isSearchMadeHere?: boolean | undefined;
  /** Settings that OpenAI's two formats have alike, by their names there (openai-shared.ts). */
  openAi?: JsonObject;
  /** Names of fields of the client's request that have no place here; each becomes a warning. */
  unknownFields: readonly string[];
}

/** Why an answer ended. `pause` is a turn that the vendor wants to continue (Anthropic pause_turn). */
export type FinishReason = "stop" | "stop_sequence" | "length" | "tool_calls" | "content_filter" | "refusal" | "pause";

export interface NeutralChoice {
  parts: readonly NeutralPart[];
  finish: FinishReason;
  /** The stop sequence that ended it, where the vendor says. */
  stopSequence?: string;
  /** As OpenAI chat writes choices[].logprobs: `{content: [{token, logprob, bytes, top_logprobs}], refusal}`. */
  logprobs?: JsonObject;
}

/** An answer in one piece. */
export interface NeutralAnswer {
  /** The vendor's own id. */
  id: string;
  /** What chat completions call `system_fingerprint`. */
  fingerprint?: string;
  /** At least one. */
  choices: readonly NeutralChoice[];
  /** As the upstream wrote it, in its own dialect; undefined where it sent none. */
  rawUsage: unknown;
}

/** One step of a streamed answer. Parts of one choice come one after another, never mixed; `choice` counts from 0. */
export type NeutralEvent =
  | { kind: "start"; id: string; fingerprint?: string }
  | { kind: "text"; choice: number; text: string }
  | { kind: "refusal"; choice: number; text: string }
  | { kind: "reasoning"; choice: number; text: string }
  /** Belongs to the reasoning just before it; with isRedacted it is a part of its own. */
  | { kind: "signature"; choice: number; signature: Signature; isRedacted?: boolean }
  /** A tool call begins; its arguments follow as tool_arguments with the same index. Calls count from 0 in each choice. */
  | { kind: "tool_call"; choice: number; index: number; id: string; name: string; signature?: Signature }
  | { kind: "tool_arguments"; choice: number; index: number; text: string }
  | { kind: "image"; choice: number; source: MediaSource }
  | { kind: "audio"; choice: number; source: MediaSource }
  | { kind: "citation"; choice: number; citation: Citation }
  /** A search that is made now: the same one comes as `search` once it has ended. */
  | { kind: "search_begun"; choice: number; search: SearchPart }
  | { kind: "search"; choice: number; search: SearchPart }
  | { kind: "logprobs"; choice: number; logprobs: JsonObject }
  | { kind: "finish"; choice: number; reason: FinishReason; stopSequence?: string }
  /** A call of one of the vendor's own tools that has a price: usage counts them at the end only, which a client may not wait for. */
  | { kind: "priced_call"; tool: ChargedTool; variant?: string | undefined }
  /** The upstream's own usage object; the last one counts, and is already what earlier ones add up to. */
  | { kind: "usage"; raw: unknown }
  /** The vendor's own end of a complete stream (message_stop, [DONE], response.completed). */
  | { kind: "end" }
  /** The vendor's own error inside the stream, as JSON text. */
  | { kind: "error"; text: string };

/** What the target cannot express. `param` names the client's field; always a 400. */
export class TranslationFault extends Fault<"untranslatable"> {
  readonly param: string;
  /** What the client's own vendor would say besides, as its libraries read it. */
  readonly details: JsonObject | undefined;
  constructor(param: string, message: string, details?: JsonObject) {
    super("untranslatable", message);
    this.param = param;
    this.details = details;
  }
}

/** Collects what a target drops without changing the answer's meaning: shown in the Turnpike-Warnings header and the log. */
export type Warn = (field: string, reason: string) => void;

/** Names of the tools by the ids of their calls, for dialects whose results must name the tool. */
export function toolNames(messages: readonly NeutralMessage[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { parts } of messages)
    for (const part of parts) if (part.kind === "tool_call") names.set(part.id, part.name);
  return names;
}

/** The events a buffered answer would have come in: for clients that asked for a stream where the upstream sent none. */
export function* eventsOf(answer: NeutralAnswer): Generator<NeutralEvent> {
  const { id, fingerprint } = answer;
  yield { kind: "start", id, ...(fingerprint === undefined ? {} : { fingerprint }) };
  for (const [choice, { parts, finish, stopSequence, logprobs }] of answer.choices.entries()) {
    let index = 0;
    for (const part of parts) {
      yield* partEvents(part, choice, index);
      if (part.kind === "tool_call") index += 1;
    }
    if (logprobs !== undefined) yield { kind: "logprobs", choice, logprobs };
    yield { kind: "finish", choice, reason: finish, ...(stopSequence === undefined ? {} : { stopSequence }) };
  }
  if (answer.rawUsage !== undefined) yield { kind: "usage", raw: answer.rawUsage };
  yield { kind: "end" };
}

function* partEvents(part: NeutralPart, choice: number, index: number): Generator<NeutralEvent> {
  switch (part.kind) {
    case "text":
      yield { kind: "text", choice, text: part.text };
      for (const citation of part.citations ?? []) yield { kind: "citation", choice, citation };
      return;
    case "refusal":
      return yield { kind: "refusal", choice, text: part.text };
    case "reasoning":
      if (part.text !== "") yield { kind: "reasoning", choice, text: part.text };
      if (part.signature !== undefined)
        yield { kind: "signature", choice, signature: part.signature, isRedacted: part.isRedacted === true };
      return;
    case "tool_call": {
      const { id, name, signature } = part;
      yield { kind: "tool_call", choice, index, id, name, ...(signature === undefined ? {} : { signature }) };
      return yield { kind: "tool_arguments", choice, index, text: part.arguments };
    }
    case "search":
      return yield { kind: "search", choice, search: part };
    case "image":
    case "audio":
      return yield { kind: part.kind, choice, source: part.source };
    default:
      return;
  }
}
