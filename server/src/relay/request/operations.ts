/** The differences of operations in the pipeline: a table, so that another operation is a row. */
import { DIALECTS } from "../../dialects/registry.ts";
import type { Operation } from "../../providers/provider.ts";
import type { RelayErrorCode } from "../call/relay-error.ts";
import type { Accepted } from "./accepted.ts";

interface NeededField {
  field: string;
  code: RelayErrorCode;
}

export interface OperationRule {
  /** How its request comes; `either` by its Content-Type. */
  input: "json" | "form" | "either";
  /** Fields it cannot go without and the refusals that say so; undefined where the client's dialect names them. */
  needed?: readonly NeededField[];
  /** Model where the client names none. */
  defaultModel?: string;
  /** False where a stream flag in the body means nothing. */
  streams: boolean;
  /** True where stream_options asks for usage. */
  takesStreamOptions?: boolean;
  /** Field and value that ask for a stream instead of the flag. */
  streamField?: readonly [field: string, value: string];
  /** The most tokens that can come out; undefined where only the model bounds it. */
  outputTokens?: number;
  /** Field whose numbers are tokens already. */
  encodedInput?: string;
  /** False where no vendor counts what comes out. */
  countsOutput: boolean;
  /** True where the answer is JSON, so that an error in a success can be seen. */
  answersJson: boolean;
  /** Answers cost nothing and are not logged. */
  isFree?: boolean;
}

const WITHOUT_OUTPUT = {
  input: "json",
  streams: false,
  outputTokens: 1,
  countsOutput: false,
  answersJson: true,
} as const;
const FORM = { ...WITHOUT_OUTPUT, input: "form" } as const;
const TEXT = {
  input: "json",
  streams: true,
  takesStreamOptions: true,
  countsOutput: true,
  answersJson: true,
} as const;
const PROMPT: NeededField = { field: "prompt", code: "prompt_missing" };
const INSTANCES: NeededField = { field: "instances", code: "instances_missing" };
const IMAGE: NeededField = { field: "image", code: "image_missing" };
const FILE: NeededField = { field: "file", code: "file_missing" };
const INPUT: NeededField = { field: "input", code: "input_missing" };
const DOCUMENTS: NeededField = { field: "documents", code: "documents_missing" };

export const OPERATIONS: Readonly<Record<Operation, OperationRule>> = {
  chat: TEXT,
  completions: { ...TEXT, needed: [PROMPT], encodedInput: "prompt" },
  count_tokens: { ...WITHOUT_OUTPUT, isFree: true },
  embeddings: { ...WITHOUT_OUTPUT, encodedInput: "input" },
  moderations: {
    ...WITHOUT_OUTPUT,
    needed: [INPUT],
    defaultModel: "text-moderation-stable",
  },
  rerank: { ...WITHOUT_OUTPUT, needed: [DOCUMENTS] },
  images: { ...WITHOUT_OUTPUT, streams: true, needed: [PROMPT], defaultModel: "dall-e-3" },
  image_edits: { ...FORM, input: "either", streams: true, needed: [PROMPT], defaultModel: "gpt-image-1" },
  image_variations: { ...FORM, needed: [IMAGE], defaultModel: "dall-e-2" },
  speech: {
    ...WITHOUT_OUTPUT,
    streams: true,
    streamField: ["stream_format", "sse"],
    answersJson: false,
    needed: [INPUT],
    defaultModel: "tts-1",
  },
  transcriptions: { ...FORM, streams: true, answersJson: false, needed: [FILE], defaultModel: "whisper-1" },
  translations: { ...FORM, answersJson: false, needed: [FILE], defaultModel: "whisper-1" },
  drawings: WITHOUT_OUTPUT,
  songs: WITHOUT_OUTPUT,
  videos: { ...WITHOUT_OUTPUT, input: "either" },
  realtime: { ...TEXT, input: "json" },
  models: WITHOUT_OUTPUT,
};

/** Fields without which every upstream would refuse, and the refusal that says so. */
export function neededFields({ operation, dialect, form }: Accepted): readonly NeededField[] {
  const { needed } = OPERATIONS[operation];
  // As JSON pictures are named in a list of their own.
  if (operation === "image_edits" && form !== undefined) return [IMAGE, PROMPT];
  if (operation === "images" && dialect === DIALECTS["gemini"]) return [INSTANCES];
  if (needed !== undefined) return needed;
  if (operation === "embeddings") return dialect === DIALECTS["openai-chat"] ? [INPUT] : [];
  return operation === "chat" ? dialect.requiredFields : [];
}
