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

const message = object(["model", "max_tokens", "messages"], {
  model: MODEL,
  max_tokens: { type: "integer" },
  messages: { type: "array", items: OPEN_OBJECT },
  stream: STREAM,
});
const contents = object(["contents"], { contents: { type: "array", items: OPEN_OBJECT } });

/** An operation whose request is a form with files. */
function form(operationId: string, summary: string, required: readonly string[]): Json {
  const schema = { type: "object", required, additionalProperties: true, properties: { model: MODEL } };
  const described = operation(operationId, summary, streamed("The answer in the form that was asked for"));
  return { ...described, requestBody: { required: true, content: { "multipart/form-data": { schema } } } };
}

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
  "/pg/chat/completions": {
    post: {
      ...operation(
        "createPlaygroundCompletion",
        "Chat completion of the playground: paid by the logged-in person, without a token",
        streamed("The completion, whole or as events"),
        object(["model", "messages"], {
          model: MODEL,
          messages: { type: "array", items: OPEN_OBJECT },
          group: { type: "string", description: "Group to be routed and billed in; one's own where empty" },
          stream: STREAM,
        }),
      ),
      security: [{ session: [], userId: [] }],
    },
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
  "/v1/engines/{model}/embeddings": {
    post: operation("createEngineEmbedding", "Embeddings by an old path", plain("The vectors"), OPEN_OBJECT, [
      modelParameter,
    ]),
  },
  "/v1/responses": {
    post: operation(
      "createResponse",
      "Response (OpenAI Responses dialect)",
      streamed("The response, whole or as events"),
      object(["model"], { model: MODEL, input: {}, instructions: { type: "string" }, stream: STREAM }),
    ),
  },
  "/v1/messages": {
    post: operation(
      "createMessage",
      "Message (Anthropic dialect; the key also as x-api-key)",
      streamed("The message, whole or as events"),
      message,
    ),
  },
  "/v1/messages/count_tokens": {
    post: operation("countMessageTokens", "Tokens of a message before it is sent; free", plain("The count"), message),
  },
  "/v1beta/models": {
    get: operation("listGeminiModels", "Models this token can use, as Gemini lists them", plain("The list")),
  },
  "/v1beta/models/{model}:generateContent": {
    post: operation(
      "generateContent",
      "Answer (Gemini dialect; the key also as x-goog-api-key or ?key=)",
      plain("The answer"),
      contents,
      [modelParameter],
    ),
  },
  "/v1beta/models/{model}:streamGenerateContent": {
    post: operation(
      "streamGenerateContent",
      "Answer as a JSON array, or as events with alt=sse (Gemini dialect)",
      streamed("The answer in parts"),
      contents,
      [modelParameter, { name: "alt", in: "query", schema: { type: "string", enum: ["sse"] } }],
    ),
  },
  "/v1beta/models/{model}:countTokens": {
    post: operation(
      "countContentTokens",
      "Tokens of contents before they are sent; free",
      plain("The count"),
      OPEN_OBJECT,
      [modelParameter],
    ),
  },
  "/v1beta/models/{model}:embedContent": {
    post: operation("embedContent", "Embedding (Gemini dialect)", plain("The vector"), OPEN_OBJECT, [modelParameter]),
  },
  "/v1/moderations": {
    post: operation(
      "createModeration",
      "Moderation",
      plain("The verdicts"),
      object(["input"], { model: MODEL, input: {} }),
    ),
  },
  "/v1/rerank": {
    post: operation(
      "rerank",
      "Documents in the order of their fitness; also at /rerank",
      plain("The order with scores"),
      object(["model", "query", "documents"], {
        model: MODEL,
        query: { type: "string" },
        documents: { type: "array", items: {} },
      }),
    ),
  },
  "/v1/images/generations": {
    post: operation(
      "createImage",
      "Images",
      streamed("The images, whole or as events"),
      object(["prompt"], { model: MODEL, prompt: { type: "string" } }),
    ),
  },
  "/v1/images/edits": { post: form("editImage", "Images changed by a prompt", ["image", "prompt"]) },
  "/v1/images/variations": { post: form("createImageVariation", "Variations of an image", ["image"]) },
  "/v1/audio/speech": {
    post: operation(
      "createSpeech",
      "Spoken text",
      { description: "The audio", content: { "audio/*": { schema: { type: "string", format: "binary" } } } },
      object(["input"], { model: MODEL, input: { type: "string" }, voice: {} }),
    ),
  },
  "/v1/audio/transcriptions": { post: form("createTranscription", "Text of a recording", ["file"]) },
  "/v1/audio/translations": { post: form("createTranslation", "English text of a recording", ["file"]) },
  "/v1/realtime": {
    get: operation(
      "realtime",
      "Realtime session over WebSocket; the key also as the subprotocol openai-insecure-api-key.<key>",
      { description: "101: the session" },
      undefined,
      [
        {
          name: "model",
          in: "query",
          schema: { type: "string", description: "Needed unless the session only transcribes" },
        },
        { name: "intent", in: "query", schema: { type: "string", enum: ["transcription"] } },
      ],
    ),
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
