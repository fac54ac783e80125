/** Google's Gemini API as the fake upstream plays it: answers, streams in both shapes, embeddings, counts and pictures. */
import type { Plan, SeenRequest } from "../plan.ts";
import { errorOfGemini, signatureOf, targetOf } from "./validate.ts";
import { DEFAULT_TEXT, type VendorError, type Vendor, splitText, tokensOf } from "../vendor.ts";

type Fields = Record<string, unknown>;

const RESPONSE_ID = "fake-gemini-response-0001";
/** One transparent pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const WRONG_KEY: VendorError = {
  status: 400,
  message: "API key not valid. Please pass a valid API key.",
  type: "INVALID_ARGUMENT",
  code: "API_KEY_INVALID",
  param: null,
};

/** Words of other vendors in plans that are played for each of them. */
const FINISHES: Readonly<Record<string, string>> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
  tool_calls: "STOP",
};

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function usageOf(seen: SeenRequest, plan: Plan): Fields {
  if (plan.usage !== undefined) return plan.usage === null ? {} : { usageMetadata: plan.usage };
  const promptTokenCount = tokensOf(JSON.stringify(seen.json?.["contents"] ?? ""));
  const calls = (plan.toolCalls ?? []).map((call) => call.arguments).join("");
  const candidatesTokenCount = tokensOf((plan.text ?? DEFAULT_TEXT) + calls);
  const thoughtsTokenCount = plan.reasoning === undefined ? 0 : tokensOf(plan.reasoning);
  return {
    usageMetadata: {
      promptTokenCount,
      candidatesTokenCount,
      totalTokenCount: promptTokenCount + candidatesTokenCount + thoughtsTokenCount,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: promptTokenCount }],
      ...(thoughtsTokenCount === 0 ? {} : { thoughtsTokenCount }),
    },
  };
}

/** Contents before this answer: their number makes ids that differ from turn to turn, as the vendor's do. */
const turnOf = ({ json }: SeenRequest): number => (Array.isArray(json?.["contents"]) ? json["contents"].length : 0);

/** Parts of the answer in the pieces they are streamed in. Only the first of several calls is signed. */
function partsOf(seen: SeenRequest, plan: Plan): Fields[] {
  const cut = plan.chunks ?? 8;
  const calls = (plan.toolCalls ?? []).map(({ name, arguments: text }, index): Fields => {
    const functionCall = { id: `fc_${turnOf(seen)}_${index}_${name}`, name, args: JSON.parse(text) as unknown };
    return index === 0 ? { functionCall, thoughtSignature: signatureOf(name) } : { functionCall };
  });
  const text = plan.text ?? (calls.length > 0 ? "" : DEFAULT_TEXT);
  return [
    ...splitText(plan.reasoning ?? "", cut).map((piece) => ({ text: piece, thought: true })),
    ...splitText(text, cut).map((piece) => ({ text: piece })),
    ...calls,
    ...(calls.length === 0 && plan.reasoning !== undefined
      ? [{ text: "", thoughtSignature: signatureOf("thoughts") }]
      : []),
  ];
}

/** Pieces of one kind put together, as in an answer that is not streamed. */
function wholeParts(seen: SeenRequest, plan: Plan): Fields[] {
  return partsOf(seen, { ...plan, chunks: 1 });
}

function envelope(seen: SeenRequest, plan: Plan, candidate: Fields): Fields {
  return {
    candidates: [{ ...candidate, index: 0 }],
    ...usageOf(seen, plan),
    modelVersion: targetOf(seen).model,
    responseId: RESPONSE_ID,
  };
}

const finishOf = (plan: Plan): Fields => {
  if (plan.finishReason === null) return {};
  const word = plan.finishReason ?? "stop";
  return { finishReason: FINISHES[word] ?? word };
};

const embedding = (index: number): Fields => ({ values: [0.0023064255, -0.009327292, index] });

const WHOLE: Readonly<Record<string, (seen: SeenRequest, plan: Plan) => Fields>> = {
  embedContent: () => ({ embedding: embedding(0) }),
  batchEmbedContents: (seen, plan) => {
    const requests = seen.json?.["requests"];
    const count = Array.isArray(requests) ? requests.length : 0;
    const counted = { usageMetadata: { promptTokenCount: tokensOf(JSON.stringify(requests)) } };
    const usage = plan.usage === undefined ? counted : usageOf(seen, plan);
    return { embeddings: Array.from({ length: count }, (_, index) => embedding(index)), ...usage };
  },
  countTokens: (seen) => {
    const totalTokens = tokensOf(JSON.stringify(seen.json));
    return { totalTokens, promptTokensDetails: [{ modality: "TEXT", tokenCount: totalTokens }] };
  },
  // Four come where the request gives no number (ai.google.dev/gemini-api/docs/imagen, numberOfImages).
  predict: (seen, plan) => {
    const parameters = (seen.json?.["parameters"] ?? {}) as Fields;
    const count = plan.pictures ?? Number(parameters["sampleCount"] ?? 4);
    return { predictions: Array.from({ length: count }, () => ({ mimeType: "image/png", bytesBase64Encoded: PIXEL })) };
  },
};

function whole(seen: SeenRequest, plan: Plan): string {
  const other = WHOLE[targetOf(seen).method];
  if (other !== undefined) return JSON.stringify(other(seen, plan));
  const content = { parts: wholeParts(seen, plan), role: "model" };
  return JSON.stringify(envelope(seen, plan, { content, ...finishOf(plan) }), null, 2);
}

const isEvents = (seen: SeenRequest): boolean => /[?&]alt=sse(?:&|$)/.test(seen.path);

/**
 * What was said up to a piece, as a plan: the usage of each piece counts that much, or stands in the last alone as older models have it
 * (langchain-ai/langchainjs#8694, #10164).
 */
function saidSoFar(plan: Plan, parts: readonly Fields[]): Plan {
  if (plan.usage !== undefined) return { ...plan, usage: null };
  const textOf = (isThought: boolean): string =>
    parts.map((part) => ((part["thought"] === true) === isThought ? String(part["text"] ?? "") : "")).join("");
  return { ...plan, text: textOf(false), ...(plan.reasoning === undefined ? {} : { reasoning: textOf(true) }) };
}

/** The last piece brings the finish; usage stands in every one, and grows. */
function pieces(seen: SeenRequest, plan: Plan): string[] {
  const parts = partsOf(seen, plan);
  const list = parts.length === 0 ? [{ text: "" }] : parts;
  return list.map((part, index) => {
    const isLast = index === list.length - 1;
    const counted = isLast ? plan : saidSoFar({ ...plan, toolCalls: [] }, list.slice(0, index + 1));
    const candidate = { content: { parts: [part], role: "model" }, ...(isLast ? finishOf(plan) : {}) };
    return JSON.stringify(envelope(seen, counted, candidate));
  });
}

export const geminiVendor: Vendor = {
  refuseKey: (seen, key) => (seen.headers["x-goog-api-key"] === key ? undefined : WRONG_KEY),
  refuse: errorOfGemini,
  isStream: (seen) => targetOf(seen).method === "streamGenerateContent",
  whole,
  frames(seen, plan) {
    const list = pieces(seen, plan);
    if (isEvents(seen)) return list.map((piece) => `data: ${piece}\r\n\r\n`);
    return list.map((piece, index) => (index === 0 ? "[" : ",\r\n") + piece);
  },
  /** The vendor has no mark of a whole stream, but the end of the array. */
  done: (seen) => (isEvents(seen) ? "" : "]"),
  error: ({ status, message, type, code }) => {
    const details =
      code === null || code === undefined
        ? []
        : [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: String(code) }];
    return JSON.stringify({
      error: {
        code: status,
        message,
        status: type ?? STATUSES[status] ?? "UNKNOWN",
        ...(details.length === 0 ? {} : { details }),
      },
    });
  },
  models: (models) =>
    JSON.stringify({
      models: models.map((id) => ({
        name: `models/${id}`,
        displayName: id,
        supportedGenerationMethods: ["generateContent"],
      })),
    }),
  streamContentType: (seen) => (isEvents(seen) ? "text/event-stream" : "application/json; charset=UTF-8"),
};
