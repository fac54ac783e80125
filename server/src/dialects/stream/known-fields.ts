/** Removes fields from answers that their vendor's format does not have (channel setting force_format); part of the hub. */
import type { FrameKind, StreamPipe } from "./stream.ts";
import { parseExactObject } from "../json/exact.ts";
import { isObject, ownOf } from "../json/fields.ts";
import type { DialectName, JsonObject } from "../neutral/neutral.ts";
import { PipeWrapper } from "./pipe-wrapper.ts";
import { readEvent } from "./sse-event.ts";

/** Names of an object's fields, each with `true` where all of it stays; the fields of a list are those of its items. */
interface KnownFields {
  readonly [name: string]: true | KnownFields;
}

const whole = (names: string): KnownFields => Object.fromEntries(names.split(" ").map((name) => [name, true]));

const CALLED = whole("name arguments");

/**
 * A message or a piece of one (platform.openai.com/docs/api-reference/chat/object), with what this gateway reads of other vendors of
 * the format: thinking, pictures, and Google's place for signatures of calls.
 */
const CHAT_MESSAGE: KnownFields = {
  ...whole("role content refusal annotations audio images reasoning reasoning_content reasoning_details"),
  function_call: CALLED,
  tool_calls: { ...whole("index id type extra_content"), function: CALLED, custom: whole("name input") },
};

/** Chat completions, whole and in chunks, and completions (platform.openai.com/docs/api-reference/completions/object). */
const CHAT: KnownFields = {
  ...whole("id object created model service_tier system_fingerprint obfuscation moderation metadata usage error"),
  choices: { ...whole("index finish_reason logprobs text usage"), delta: CHAT_MESSAGE, message: CHAT_MESSAGE },
};

/** platform.openai.com/docs/api-reference/responses/object; items have kinds of their own and stay whole. */
const RESPONSE = whole(
  "access_programs background completed_at conversation created_at error id image incomplete_details instructions max_output_tokens " +
    "max_tool_calls metadata model moderation object output output_text parallel_tool_calls previous_response_id prompt " +
    "prompt_cache_diagnostics prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier " +
    "status store temperature text tool_choice tool_usage tools top_logprobs top_p truncation usage user",
);

/** platform.openai.com/docs/api-reference/responses-streaming. */
const RESPONSES: KnownFields = {
  ...RESPONSE,
  ...whole(
    "annotation annotation_index arguments code command command_index content_index delta input item item_id logprobs message name " +
      "obfuscation output_format output_index param part partial_image_b64 partial_image_index quality reason refusal " +
      "required_input sequence_number size steer stream_id summary_index type",
  ),
  response: RESPONSE,
};

const MESSAGE = whole(
  "container content context_management diagnostics id input_transformations model role stop_details stop_reason stop_sequence type usage",
);

/** platform.claude.com/docs/en/build-with-claude/streaming; content blocks have kinds of their own and stay whole. */
const MESSAGES: KnownFields = {
  ...MESSAGE,
  ...whole("index content_block"),
  message: MESSAGE,
  delta: whole(
    "type text thinking estimated_tokens signature partial_json citation content encrypted_content container stop_details " +
      "stop_reason stop_sequence",
  ),
};

/** ai.google.dev/api/generate-content and ai.google.dev/api/caching, Part. */
const GEMINI: KnownFields = {
  ...whole("createTime modelStatus modelVersion promptFeedback responseId usageMetadata"),
  candidates: {
    ...whole(
      "avgLogprobs citationMetadata continuationToken finishMessage finishReason groundingAttributions groundingMetadata",
    ),
    ...whole("index logprobsResult safetyRatings tokenCount urlContextMetadata"),
    content: {
      role: true,
      parts: whole(
        "audioTranscription codeExecutionResult executableCode fileData functionCall functionResponse inlineData mediaProcessing " +
          "mediaResolution partMetadata speechMetadata text thought thoughtSignature toolCall toolResponse videoMetadata",
      ),
    },
  },
};

const KNOWN: Readonly<Record<DialectName, KnownFields>> = {
  "openai-chat": CHAT,
  "openai-responses": RESPONSES,
  "anthropic-messages": MESSAGES,
  gemini: GEMINI,
};

function keepIn(value: unknown, known: true | KnownFields): unknown {
  if (known === true) return value;
  if (Array.isArray(value)) return value.map((each: unknown) => keepIn(each, known));
  return isObject(value) ? keep(value, known) : value;
}

function keep(fields: JsonObject, known: KnownFields): JsonObject {
  const kept: [string, unknown][] = [];
  for (const [name, value] of Object.entries(fields)) {
    const inside = ownOf(known, name);
    if (inside !== undefined) kept.push([name, keepIn(value, inside)]);
  }
  return Object.fromEntries(kept);
}

/** A whole answer or the object of an event, with the fields alone that the format has. Values stay as they are, long numbers too. */
export const withKnownFields = (format: DialectName, fields: JsonObject): JsonObject => keep(fields, KNOWN[format]);

/** It is read for the reason, which vendors write in many ways, and is not sent on as it is. */
const isError = (event: string, { error, type }: JsonObject): boolean =>
  event === "error" || type === "error" || (error !== undefined && error !== null);

/** Hands a pass pipe the upstream's events with the fields alone that the format has: what is left out is neither sent nor counted. */
export class KnownFieldsPipe extends PipeWrapper {
  readonly #format: DialectName;

  constructor(inner: StreamPipe, format: DialectName) {
    super(inner);
    this.#format = format;
  }

  push(bytes: Buffer, text: string): FrameKind {
    const { event, data } = readEvent(bytes, text);
    const fields = data === "" ? undefined : parseExactObject(data);
    if (fields === undefined || isError(event, fields)) return this.#hand(bytes, text);
    const kept = withKnownFields(this.#format, fields);
    // No client knows what to do with an event in which nothing stands.
    if (Object.keys(kept).length === 0) {
      this.out = "";
      return "other";
    }
    const name = event === "" ? "" : `event: ${event}\n`;
    const known = Buffer.from(`${name}data: ${JSON.stringify(kept)}\n\n`);
    return this.#hand(known, known.toString("latin1"));
  }

  #hand(bytes: Buffer, text: string): FrameKind {
    const kind = this.inner.push(bytes, text);
    this.out = this.inner.out;
    return kind;
  }
}
