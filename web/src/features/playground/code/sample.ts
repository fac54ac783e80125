/** The parts of a sample program: address, key, and the conversation as chat completions have it. Pure. */
import type { ApiMessage, ContentPart } from "../model/request.ts";
import type { FunctionTool } from "../model/tools.ts";

export interface Sample {
  /** Without /v1, without a trailing slash. */
  root: string;
  /** With sk-. */
  key: string;
  model: string;
  /** Blank for none. */
  system: string;
  /** Without the system prompt. */
  messages: readonly ApiMessage[];
  tools: readonly FunctionTool[];
  temperature?: number | undefined;
  top_p?: number | undefined;
  max_tokens?: number | undefined;
}

export interface Picture {
  mediaType: string;
  /** Base64. */
  data: string;
}

const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

/** A picture or document as vendors take it whose API knows no data URLs. */
function pictureOf(url: string): Picture {
  const [, mediaType = "image/png", data = ""] = DATA_URL.exec(url) ?? [];
  return { mediaType, data };
}

type MediaPart = Exclude<ContentPart, { type: "text" }>;

/** The same for every part that is no text; a picture that is at an address has no data. */
export function mediaOf(part: MediaPart): Picture {
  if (part.type === "image_url") return pictureOf(part.image_url.url);
  if (part.type === "file") return pictureOf(part.file.file_data);
  const { data, format } = part.input_audio;
  return { mediaType: format === "wav" ? "audio/wav" : "audio/mp3", data };
}

/** The parts of what a person said. */
export const partsOf = (content: ApiMessage["content"]): readonly ContentPart[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);

/** Fields that are there; the others would say null. */
export const present = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** What a model wants a function called with. */
export function argumentsOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** The name of the function that a result belongs to. */
export const nameOfCall = (messages: readonly ApiMessage[], id: string | undefined): string =>
  messages.flatMap(({ tool_calls = [] }) => tool_calls).find((call) => call.id === id)?.function.name ?? "";
