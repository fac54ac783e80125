/** The relay's calls as the OpenAPI document prints them: bodies are the upstream dialect's own and are passed on as they are. */

type Json = Record<string, unknown>;

export const RELAY_SECURITY = {
  tokenKey: { type: "http", scheme: "bearer", description: "A token's key, `sk-...`" },
} as const;

const ERROR = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        message: { type: "string" },
        type: { type: "string" },
        param: { type: ["string", "null"] },
        code: { type: ["string", "null"] },
      },
    },
  },
};

const json = (schema: unknown): Json => ({ "application/json": { schema } });

const FAILURES: Json = {
  "400": { description: "The request is not well formed", content: json(ERROR) },
  "401": { description: "No such token, or it may not be used now", content: json(ERROR) },
  "403": {
    description: "The token may not use this model, group or address, or the quota does not reach",
    content: json(ERROR),
  },
  "429": { description: "Too many requests", content: json(ERROR) },
  "503": { description: "No channel of the group offers this model now", content: json(ERROR) },
};

const OPEN_OBJECT = { type: "object", additionalProperties: true };
const MODEL = { type: "string", description: "Model name, as GET /v1/models lists it" };

function operation(operationId: string, summary: string, ok: Json, body?: Json, parameters: Json[] = []): Json {
  return {
    operationId,
    tags: ["relay"],
    summary,
    security: [{ tokenKey: [] }],
    parameters,
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: { "200": ok, ...FAILURES },
  };
}

const object = (required: readonly string[], properties: Json): Json => ({ ...OPEN_OBJECT, required, properties });
const streamed = (description: string): Json => ({
  description,
  content: { ...json(OPEN_OBJECT), "text/event-stream": { schema: { type: "string" } } },
});
const plain = (description: string): Json => ({ description, content: json(OPEN_OBJECT) });

const STREAM = { type: "boolean", default: false };

const chat = object(["model", "messages"], {
  model: MODEL,
  messages: { type: "array", items: OPEN_OBJECT },
  stream: STREAM,
});
const completion = object(["model", "prompt"], { model: MODEL, prompt: {}, stream: STREAM });
const embedding = object(["model", "input"], { model: MODEL, input: {} });
const modelParameter = { name: "model", in: "path", required: true, schema: { type: "string" } };

/** Path to its operations, in OpenAPI's shape. */
export const RELAY_PATHS: Readonly<Record<string, Json>> = {
  "/v1/chat/completions": {
    post: operation(
      "createChatCompletion",
      "Chat completion (OpenAI dialect)",
      streamed("The completion, whole or as events"),
      chat,
    ),
  },
  "/v1/completions": {
    post: operation(
      "createCompletion",
      "Text completion (OpenAI dialect)",
      streamed("The completion, whole or as events"),
      completion,
    ),
  },
  "/v1/embeddings": {
    post: operation("createEmbedding", "Embeddings (OpenAI dialect)", plain("The vectors"), embedding),
  },
  "/v1/models": { get: operation("listRelayModels", "Models this token can use", plain("The list")) },
  "/v1/models/{model}": {
    get: operation("getRelayModel", "One model", plain("The model"), undefined, [modelParameter]),
  },
  "/dashboard/billing/subscription": {
    get: operation(
      "getBillingSubscription",
      "Limits of this token, as OpenAI's old dashboard gave them",
      plain("The limits"),
    ),
  },
  "/dashboard/billing/usage": {
    get: operation("getBillingUsage", "Usage of this token in hundredths of a dollar", plain("The usage")),
  },
};
