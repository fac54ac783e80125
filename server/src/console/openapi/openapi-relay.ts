/** The relay's endpoints in the OpenAPI document: bodies are those of the upstream dialect and are passed on unchanged. */
import { MEDIA_OF_PAGES } from "./openapi-pages.ts";
import { TASK_ROWS } from "./openapi-tasks.ts";
import { failuresOf, type RelayRow } from "./relay-failures.ts";

type Json = Record<string, unknown>;

export const RELAY_SECURITY = {
  tokenKey: { type: "http", scheme: "bearer", description: "A token's key, `sk-...`" },
} as const;

const json = (schema: unknown): Json => ({ "application/json": { schema } });
const OPEN_OBJECT = { type: "object", additionalProperties: true };
const MODEL = { type: "string", description: "Model name, as GET /v1/models lists it" };
const STREAM = { type: "boolean", default: false, description: "Whether the answer comes as events" };
const MESSAGES = { type: "array", items: OPEN_OBJECT, description: "The conversation, oldest first" };
const CONTENTS = { type: "array", items: OPEN_OBJECT, description: "The conversation in Gemini's form" };
const PROMPT = { type: "string", description: "What is asked for" };

const object = (required: readonly string[], properties: Json): Json => ({ ...OPEN_OBJECT, required, properties });
const streamed = (description: string): Json => ({
  description,
  content: { ...json(OPEN_OBJECT), "text/event-stream": { schema: { type: "string" } } },
});
const plain = (description: string): Json => ({ description, content: json(OPEN_OBJECT) });

const MODEL_IN_PATH = {
  name: "model",
  in: "path",
  required: true,
  schema: { type: "string" },
  description: "The model",
};

const RESPONSE_IN_PATH = {
  parameters: [
    {
      name: "id",
      in: "path",
      required: true,
      schema: { type: "string" },
      description: "Id of a response of one's own",
    },
  ],
} as const;
/** Responses that an upstream stores: passed to the channel and key that made them. */
const STORED_RESPONSES: readonly RelayRow[] = [
  {
    ...RESPONSE_IN_PATH,
    method: "get",
    at: { "/v1/responses/{id}": "getResponse" },
    summary: "A response that its upstream stores; free, also as events",
    answer: streamed("The response, whole or as events"),
  },
  {
    ...RESPONSE_IN_PATH,
    method: "delete",
    at: { "/v1/responses/{id}": "deleteResponse" },
    summary: "Deletes a stored response at its upstream",
    answer: plain("What was deleted"),
  },
  {
    ...RESPONSE_IN_PATH,
    at: { "/v1/responses/{id}/cancel": "cancelResponse" },
    summary: "Cancels a stored response that is under way",
    answer: plain("The response"),
  },
  {
    ...RESPONSE_IN_PATH,
    method: "get",
    at: { "/v1/responses/{id}/input_items": "listResponseInputItems" },
    summary: "What a stored response was asked with",
    answer: plain("The list"),
  },
];

const chat = object(["model", "messages"], { model: MODEL, messages: MESSAGES, stream: STREAM });
const gemini = { envelope: "gemini", parameters: [MODEL_IN_PATH] } as const;
const contents = object(["contents"], { contents: CONTENTS });

const CHAT: readonly RelayRow[] = [
  {
    at: { "/v1/chat/completions": "createChatCompletion" },
    summary: "Chat completion (OpenAI dialect)",
    body: chat,
    answer: streamed("The completion, whole or as events"),
  },
  {
    at: { "/pg/chat/completions": "createPlaygroundCompletion" },
    summary: "Chat completion of the playground: paid by the logged-in person, without a token",
    body: object(["model", "messages"], {
      model: MODEL,
      messages: MESSAGES,
      group: { type: "string", description: "Group to be routed and billed in; one's own where empty" },
      stream: STREAM,
    }),
    answer: streamed("The completion, whole or as events"),
    security: [{ session: [], userId: [] }],
  },
  {
    at: { "/v1/completions": "createCompletion" },
    summary: "Text completion (OpenAI dialect)",
    body: object(["model", "prompt"], {
      model: MODEL,
      prompt: { description: "Text, texts or tokens" },
      stream: STREAM,
    }),
    answer: streamed("The completion, whole or as events"),
  },
  {
    at: { "/v1/responses": "createResponse" },
    summary: "Response (OpenAI Responses dialect); a GET with the handshake of a WebSocket opens a socket for many",
    body: object(["model"], {
      model: MODEL,
      input: { description: "Text, or a list of items" },
      instructions: { type: "string", description: "What the model is told before the input" },
      stream: STREAM,
    }),
    answer: streamed("The response, whole or as events"),
  },
  {
    at: { "/v1/responses/input_tokens": "countResponseTokens" },
    summary: "Tokens of a response's input before it is sent; free",
    body: object(["model"], { model: MODEL, input: { description: "Text, or a list of items" } }),
    answer: plain("The count"),
  },
  {
    at: { "/v1/responses/compact": "compactResponse" },
    summary:
      "A conversation in short form: of upstreams that make it, else a summary by the model, sealed for its user",
    body: object(["model"], { model: MODEL, input: { description: "Text, or a list of items" } }),
    answer: plain("What to send in place of the conversation"),
  },
  {
    at: { "/v1/messages": "createMessage" },
    summary: "Message (Anthropic dialect; the key also as x-api-key)",
    envelope: "anthropic",
    body: object(["model", "max_tokens", "messages"], {
      model: MODEL,
      max_tokens: { type: "integer", description: "The most tokens that may come out" },
      messages: MESSAGES,
      stream: STREAM,
    }),
    answer: streamed("The message, whole or as events"),
  },
  {
    at: { "/v1/messages/count_tokens": "countMessageTokens" },
    summary: "Tokens of a message before it is sent; free",
    envelope: "anthropic",
    body: object(["model", "messages"], { model: MODEL, messages: MESSAGES }),
    answer: plain("The count"),
  },
  {
    ...gemini,
    at: { "/v1beta/models/{model}:generateContent": "generateContent" },
    summary: "Answer (Gemini dialect; the key also as x-goog-api-key or ?key=)",
    body: contents,
    answer: plain("The answer"),
  },
  {
    envelope: "gemini",
    at: { "/v1beta/models/{model}:streamGenerateContent": "streamGenerateContent" },
    summary: "Answer as a JSON array, or as events with alt=sse (Gemini dialect)",
    body: contents,
    parameters: [
      MODEL_IN_PATH,
      { name: "alt", in: "query", schema: { type: "string", enum: ["sse"] }, description: "`sse`: as events" },
    ],
    answer: streamed("The answer in parts"),
  },
  {
    ...gemini,
    at: { "/v1beta/models/{model}:countTokens": "countContentTokens" },
    summary: "Tokens of contents before they are sent; free",
    body: OPEN_OBJECT,
    answer: plain("The count"),
  },
];

const VECTORS_AND_VERDICTS: readonly RelayRow[] = [
  {
    at: { "/v1/embeddings": "createEmbedding" },
    summary: "Embeddings (OpenAI dialect)",
    body: object(["model", "input"], { model: MODEL, input: { description: "Text, texts or tokens" } }),
    answer: plain("The vectors"),
  },
  {
    at: { "/v1/engines/{model}/embeddings": "createEngineEmbedding" },
    summary: "Embeddings by an old path",
    body: object(["input"], { input: { description: "Text, texts or tokens" } }),
    parameters: [MODEL_IN_PATH],
    answer: plain("The vectors"),
  },
  {
    ...gemini,
    at: { "/v1beta/models/{model}:embedContent": "embedContent" },
    summary: "Embedding (Gemini dialect)",
    body: object(["content"], { content: { ...OPEN_OBJECT, description: "What is embedded" } }),
    answer: plain("The vector"),
  },
  {
    ...gemini,
    at: { "/v1beta/models/{model}:batchEmbedContents": "batchEmbedContents" },
    summary: "Several embeddings in one call (Gemini dialect)",
    body: object(["requests"], {
      requests: { type: "array", items: OPEN_OBJECT, description: "One request of embedContent each" },
    }),
    answer: plain("The vectors, in the order of the requests"),
  },
  {
    at: { "/v1/moderations": "createModeration" },
    summary: "Moderation",
    body: object(["input"], { model: MODEL, input: { description: "Text, texts, or parts with pictures" } }),
    answer: plain("The verdicts"),
  },
  {
    at: { "/v1/rerank": "rerank", "/rerank": "rerankByShortPath" },
    summary: "Documents in the order of their fitness",
    body: object(["model", "query", "documents"], {
      model: MODEL,
      query: { type: "string", description: "What the documents should fit" },
      documents: { type: "array", items: {}, description: "Texts, or objects with a text" },
    }),
    answer: plain("The order with scores"),
  },
];

const MEDIA: readonly RelayRow[] = [
  {
    at: { "/v1/images/generations": "createImage" },
    summary: "Images",
    body: object(["prompt"], { model: MODEL, prompt: PROMPT }),
    answer: streamed("The images, whole or as events"),
  },
  {
    at: { "/v1/images/edits": "editImage" },
    summary: "Images changed by a prompt",
    form: ["image", "prompt"],
    answer: streamed("The images, whole or as events"),
  },
  {
    at: { "/v1/images/variations": "createImageVariation" },
    summary: "Variations of an image",
    form: ["image"],
    answer: plain("The images"),
  },
  {
    ...gemini,
    at: { "/v1beta/models/{model}:predict": "predictImages" },
    summary: "Images (Imagen, in Gemini's dialect)",
    body: object(["instances"], {
      instances: { type: "array", items: OPEN_OBJECT, description: "Objects with a `prompt`" },
      parameters: { ...OPEN_OBJECT, description: "Number, shape and the like" },
    }),
    answer: plain("The images as base64"),
  },
  {
    at: { "/v1/audio/speech": "createSpeech" },
    summary: "Spoken text",
    body: object(["input"], {
      model: MODEL,
      input: { type: "string", description: "What is spoken" },
      voice: { description: "Whose voice" },
    }),
    answer: { description: "The audio", content: { "audio/*": { schema: { type: "string", format: "binary" } } } },
  },
  {
    at: { "/v1/audio/transcriptions": "createTranscription" },
    summary: "Text of a recording",
    form: ["file"],
    answer: streamed("The text in the form that was asked for"),
  },
  {
    at: { "/v1/audio/translations": "createTranslation" },
    summary: "English text of a recording",
    form: ["file"],
    answer: streamed("The text in the form that was asked for"),
  },
  {
    method: "get",
    at: { "/v1/realtime": "realtime" },
    summary: "Realtime session over WebSocket; the key also as the subprotocol openai-insecure-api-key.<key>",
    parameters: [
      {
        name: "model",
        in: "query",
        schema: { type: "string" },
        description: "Needed unless the session only transcribes",
      },
      {
        name: "intent",
        in: "query",
        schema: { type: "string", enum: ["transcription"] },
        description: "`transcription`: the session only transcribes",
      },
    ],
    answer: { description: "101: the session" },
  },
];

const LISTS_AND_LIMITS: readonly RelayRow[] = [
  {
    method: "get",
    at: { "/v1/models": "listRelayModels" },
    summary: "Models this token can use",
    answer: plain("The list"),
  },
  {
    method: "get",
    at: { "/v1/models/{model}": "getRelayModel" },
    summary: "One model",
    parameters: [MODEL_IN_PATH],
    answer: plain("The model"),
  },
  {
    method: "get",
    envelope: "gemini",
    at: { "/v1beta/models": "listGeminiModels" },
    summary: "Models this token can use, as Gemini lists them",
    answer: plain("The list"),
  },
  {
    ...gemini,
    method: "get",
    at: { "/v1beta/models/{model}": "getGeminiModel" },
    summary: "One model, as Gemini describes it",
    answer: plain("The model"),
  },
  {
    method: "get",
    at: {
      "/dashboard/billing/subscription": "getBillingSubscription",
      "/v1/dashboard/billing/subscription": "getBillingSubscriptionByVersion",
    },
    summary: "Limits of this token, as OpenAI's old dashboard gave them",
    answer: plain("The limits"),
  },
  {
    method: "get",
    at: { "/dashboard/billing/usage": "getBillingUsage", "/v1/dashboard/billing/usage": "getBillingUsageByVersion" },
    summary: "Usage of this token in hundredths of a dollar",
    answer: plain("The usage"),
  },
  {
    method: "get",
    at: { "/api/usage/token": "getTokenUsage" },
    summary: "What this token has used and has left, in quota; also of one that has expired or is used up",
    answer: plain("The usage, under `data`"),
  },
  {
    method: "get",
    at: { "/api/log/token": "getTokenLog" },
    summary:
      "The newest 100 log rows of this token, as its owner reads them. The key may also stand in the query, as `key`",
    answer: plain("The rows, under `data`"),
  },
];

const FORM_FIELD = { description: "A file, or a text" };

function bodyOf({ body, form }: RelayRow): Json {
  if (body !== undefined) return { requestBody: { required: true, content: json(body) } };
  if (form === undefined) return {};
  const fields = Object.fromEntries(form.map((name) => [name, FORM_FIELD]));
  const schema = object(form, { model: MODEL, ...fields });
  return { requestBody: { required: true, content: { "multipart/form-data": { schema } } } };
}

const operationOf = (row: RelayRow, operationId: string): Json => ({
  operationId,
  tags: ["relay"],
  summary: row.summary,
  security: row.security ?? [{ tokenKey: [] }],
  parameters: row.parameters ?? [],
  ...bodyOf(row),
  responses: { "200": row.answer, ...failuresOf(row.envelope ?? "openai") },
});

const ROWS = [
  ...CHAT,
  ...STORED_RESPONSES,
  ...VECTORS_AND_VERDICTS,
  ...MEDIA,
  ...MEDIA_OF_PAGES,
  ...TASK_ROWS,
  ...LISTS_AND_LIMITS,
];

/** Path to its operations, in OpenAPI's shape; one path may have several methods. */
export const RELAY_PATHS: Readonly<Record<string, Json>> = ROWS.reduce<Record<string, Json>>((paths, row) => {
  for (const [path, id] of Object.entries(row.at))
    paths[path] = { ...paths[path], [row.method ?? "post"]: operationOf(row, id) };
  return paths;
}, {});
