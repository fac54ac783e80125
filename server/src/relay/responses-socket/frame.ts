/** Parses a client's frame on a socket of /v1/responses, and builds the body of the call that answers it; pure. */
import { isObject, parseObject } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { RelayError } from "../call/relay-error.ts";

// Facts: developers.openai.com/api/docs/guides/websocket-mode, and what Codex sends (openai/codex, codex-api/src/endpoint/responses_websocket.rs).

/** Characters of a lane's name. */
const MAX_STREAM_ID_LENGTH = 128;

/** One answer that a client asks for. */
export interface CreateFrame {
  /** Lane of the socket, whose answers come one after the other; empty for the one without a name. */
  streamId: string;
  /** False for a warm-up: its input is kept for the next frame, and no model is called. */
  generates: boolean;
  /** Answer that this one continues; empty where it begins a conversation. */
  previousId: string;
  /** The body as POST /v1/responses takes it, without the fields above. */
  body: JsonObject;
}

/** An answer that was given on the socket, as far as a later frame needs it. */
export interface EarlierResponse {
  id: string;
  /** Everything said so far, as entries of a JSON list without its brackets. */
  items: string;
  /** True where the upstream keeps the answer itself and can continue from its id. */
  isStored: boolean;
}

const refused = (param: string, message: string): RelayError =>
  new RelayError("socket_frame_invalid", { message, param });

/** A field that may be absent or null. Throws RelayError 400 where it is something else than `isRight` takes. */
function optional<T>(
  frame: JsonObject,
  name: string,
  isRight: (value: unknown) => value is T,
  what: string,
): T | undefined {
  const value = frame[name];
  if (value === undefined || value === null) return undefined;
  if (!isRight(value)) throw refused(name, `'${name}' must be ${what}.`);
  return value;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isSwitch = (value: unknown): value is boolean => typeof value === "boolean";

/** The name of a frame's lane, also of one that is refused: its error goes there. */
export const streamIdOf = ({ stream_id: id }: JsonObject): string =>
  typeof id === "string" && id.length <= MAX_STREAM_ID_LENGTH ? id : "";

/** The object that a frame's text is. Throws RelayError invalid_json. */
export function frameObject(text: string): JsonObject {
  const frame = parseObject(text);
  if (frame === undefined) throw new RelayError("invalid_json", { message: "A frame must be one JSON object." });
  return frame;
}

/** The answer to input for a response that is under way, which no upstream over HTTP can take; undefined for other frames. */
export function steerFailed(frame: JsonObject): JsonObject | undefined {
  if (frame["type"] !== "response.steer") return undefined;
  const { input, previous_response_id: id } = frame;
  const message = "A response cannot be steered here. Send the input with the next response.create.";
  return {
    type: "response.steer.failed",
    sequence_number: 0,
    error: { type: "invalid_request_error", code: "steering_not_supported", message },
    steer: { input, previous_response_id: id },
  };
}

/** What a frame asks for; undefined for one that only reports, and needs no answer. Throws RelayError 400 naming the field. */
export function readFrame(frame: JsonObject): CreateFrame | undefined {
  // Codex reports the answers that it has dealt with.
  if (frame["type"] === "response.processed") return undefined;
  if (frame["type"] !== "response.create") throw refused("type", "'type' must be response.create.");
  const { type: _type, stream_id: _lane, generate: _generate, previous_response_id: _previous, ...body } = frame;
  // OpenAI has none over a WebSocket either.
  if (body["background"] === true) throw refused("background", "A socket makes no responses in the background.");
  const streamId = optional(frame, "stream_id", isText, "text") ?? "";
  if (streamId.length > MAX_STREAM_ID_LENGTH)
    throw refused("stream_id", `'stream_id' may have at most ${MAX_STREAM_ID_LENGTH} characters.`);
  return {
    streamId,
    generates: optional(frame, "generate", isSwitch, "true or false") ?? true,
    previousId: optional(frame, "previous_response_id", isText, "text") ?? "",
    body,
  };
}

const userMessage = (text: string): JsonObject => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text }],
});

/** The input of a body as entries of a JSON list, without its brackets. */
export function inputItems({ input }: JsonObject): string {
  if (typeof input === "string") return JSON.stringify(userMessage(input));
  return Array.isArray(input) ? JSON.stringify(input).slice(1, -1) : "";
}

/** Two lists of entries behind each other. */
export const joined = (first: string, second: string): string =>
  first === "" || second === "" ? first + second : `${first},${second}`;

const withoutId = (item: unknown): unknown => {
  if (!isObject(item)) return item;
  const { id: _id, ...others } = item;
  return others;
};

/**
 * Entries that stand for an answer in the input of the next one. Reasoning without its encrypted content is known to the upstream that
 * made it alone, and only while it keeps the answer; an item that names its id wants the reasoning before it.
 */
export function outputItems(output: readonly unknown[]): string {
  const kept = output.filter(
    (item) => !isObject(item) || item["type"] !== "reasoning" || typeof item["encrypted_content"] === "string",
  );
  const items = kept.length === output.length ? kept : kept.map(withoutId);
  return JSON.stringify(items).slice(1, -1);
}

/**
 * The body of the call for a frame. What was said before goes in front of its input, or is named by its id where the upstream keeps it.
 * `earlier` is undefined where the frame begins a conversation, or names an answer of another connection.
 */
export function callBody({ body, previousId }: CreateFrame, earlier: EarlierResponse | undefined): Buffer {
  const isNamed = previousId !== "" && (earlier === undefined || (earlier.isStored && body["store"] !== false));
  if (earlier === undefined || isNamed) {
    const named = isNamed ? { previous_response_id: previousId } : {};
    return Buffer.from(JSON.stringify({ ...body, stream: true, ...named }));
  }
  const { input: _input, ...others } = body;
  const rest = JSON.stringify({ ...others, stream: true });
  return Buffer.from(`${rest.slice(0, -1)},"input":[${joined(earlier.items, inputItems(body))}]}`);
}

/** The events of a warm-up, which has no output and uses nothing. `createdAt` is in Unix seconds. */
export function warmUpEvents(id: string, { body }: CreateFrame, createdAt: number): JsonObject[] {
  const response = {
    id,
    object: "response",
    created_at: createdAt,
    model: typeof body["model"] === "string" ? body["model"] : "",
    output: [],
    error: null,
    incomplete_details: null,
  };
  const usage = {
    input_tokens: 0,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 0,
  };
  return [
    { type: "response.created", sequence_number: 0, response: { ...response, status: "in_progress", usage: null } },
    { type: "response.completed", sequence_number: 1, response: { ...response, status: "completed", usage } },
  ];
}
