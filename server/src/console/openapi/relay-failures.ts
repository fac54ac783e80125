/** The relay's error responses in the OpenAPI document: the envelope of each client format, and the meaning of each status. */

type Json = Record<string, unknown>;

/** Formats whose envelopes differ; the Responses API has Chat Completions' own. */
type EnvelopeName = "openai" | "anthropic" | "gemini";

const TEXT = { type: "string" } as const;
const TEXT_OR_NULL = { type: ["string", "null"] } as const;
const CODE = { ...TEXT_OR_NULL, description: "Stable code of the refusal" } as const;

const object = (properties: Json, required: readonly string[]): Json => ({ type: "object", properties, required });

/** The envelopes, as components of the document. */
export const RELAY_FAILURE_SCHEMAS: Readonly<Record<string, Json>> = {
  OpenaiFailure: object(
    { error: object({ message: TEXT, type: TEXT, param: TEXT_OR_NULL, code: CODE }, ["message", "type"]) },
    ["error"],
  ),
  AnthropicFailure: object(
    {
      type: { const: "error" },
      error: object({ type: TEXT, message: TEXT, details: object({ error_code: CODE }, []) }, ["type", "message"]),
      request_id: TEXT,
    },
    ["type", "error"],
  ),
  GeminiFailure: object(
    {
      error: object({ code: { type: "integer", description: "The HTTP status" }, message: TEXT, status: TEXT }, [
        "code",
        "message",
        "status",
      ]),
    },
    ["error"],
  ),
};

const MEANINGS: Readonly<Record<number, string>> = {
  400: "The request is not well formed, or no channel of the model can express it",
  401: "No token was sent, or it may not be used now",
  403: "The token may not use this model, group or address, or the quota does not reach",
  404: "There is no such model for this token",
  413: "The body, or its input, is larger than is taken here",
  429: "Too many calls at a time or in a period; `Retry-After` says when to come back",
  502: "The upstream failed, and so did those that were tried after it",
  503: "No channel of the group offers this model now, or the gateway is stopping",
  504: "The upstream did not answer in time",
};

const SCHEMA_NAMES: Readonly<Record<EnvelopeName, string>> = {
  openai: "OpenaiFailure",
  anthropic: "AnthropicFailure",
  gemini: "GeminiFailure",
};

const responseName = (envelope: EnvelopeName, status: string): string => `${SCHEMA_NAMES[envelope]}${status}`;

const ENVELOPES = Object.keys(SCHEMA_NAMES) as EnvelopeName[];

/** One response for each envelope and status, as components of the document. */
export const RELAY_FAILURE_RESPONSES: Readonly<Record<string, Json>> = Object.fromEntries(
  ENVELOPES.flatMap((envelope) =>
    Object.entries(MEANINGS).map(([status, description]) => [
      responseName(envelope, status),
      {
        description,
        content: { "application/json": { schema: { $ref: `#/components/schemas/${SCHEMA_NAMES[envelope]}` } } },
      },
    ]),
  ),
);

/** The refusals of an operation, by status. */
export const failuresOf = (envelope: EnvelopeName): Json =>
  Object.fromEntries(
    Object.keys(MEANINGS).map((status) => [
      status,
      { $ref: `#/components/responses/${responseName(envelope, status)}` },
    ]),
  );

/** An operation and the addresses it has; where one stands at several, each has an id of its own. */
export interface RelayRow {
  method?: "get" | "post" | "delete";
  /** Address to operation id. */
  at: Readonly<Record<string, string>>;
  summary: string;
  /** Whose errors it answers with; OpenAI's where absent. */
  envelope?: EnvelopeName;
  /** Schema of a JSON body. */
  body?: Json;
  /** Fields that a form cannot go without. */
  form?: readonly string[];
  parameters?: readonly Json[];
  /** The good answer. */
  answer: Json;
  security?: readonly Json[];
}
