/** Alibaba's Model Studio (DashScope): channel type 17 (help.aliyun.com/zh/model-studio/models). */
import { messagesQuirk, servedMessages } from "../dialects/anthropic-messages/vendors/compatible.ts";
import { defined, isObject, listOf, objectOf, textOf } from "../dialects/json/fields.ts";
import { type ErrorText, readFailure, withKind, errorTextOf } from "../dialects/neutral/failure.ts";
import type { JsonObject, Warn } from "../dialects/neutral/neutral.ts";
import {
  type FieldPatch,
  effortAsSwitch,
  mappedEffort,
  isCompletions,
  olderLimit,
  plainVectors,
  systemRole,
} from "../dialects/openai-chat/compatible.ts";
import {
  atMostPictures,
  inOnePiece,
  pictureAnswer,
  wantedPictures,
  wantedSize,
  warnOfSettings,
} from "../dialects/openai-chat/operations/images.ts";
import { documentTexts, rankedResults } from "../dialects/openai-chat/operations/rerank.ts";
import { servedResponses } from "../dialects/openai-responses/vendors/compatible.ts";
import type { VendorOperation } from "../dialects/vendor-operation.ts";
import { defineProvider } from "./define.ts";
import type {
  ProviderCall,
  ProviderChannel,
  ProviderRequest,
  Quirk,
  UpstreamErrorKind,
  UpstreamFailure,
} from "./provider.ts";

// Where Model Studio's compatible mode is, and its own API beside it, in each of its regions
// (help.aliyun.com/zh/model-studio/compatibility-of-openai-with-dashscope).

const ROOT = "/compatible-mode";

/** Paths of its own API. */
const isOwn = (path: string): boolean => path.startsWith("/api/") || path.startsWith("/compatible-api/");

/** Calls that are tasks: the vendor takes them in no other way. */
const isTaskPath = (path: string): boolean => path.endsWith("/image-synthesis");

/** Behind the base URL, which may end in the root or in the version behind it. */
function endpoint(channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/(?:\/compatible-mode)?(?:\/v1)?\/*$/, "");
  const target = operation === "models" ? `${ROOT}/v1/models` : isOwn(path) ? path : ROOT + path;
  const asTask = isTaskPath(target) ? ["x-dashscope-async", "enable"] : [];
  return { url: base + target, headers: ["authorization", `Bearer ${channel.key}`, ...asTask] };
}

// Where Qwen models differ from OpenAI's chat completions and embeddings (help.aliyun.com/zh/model-studio/qwen-api-reference, deep-thinking), and
// what Model Studio takes of Messages (anthropic-api-messages) and Responses (qwen-api-via-openai-responses).

/** From this generation on the effort can be chosen. */
const takesEffort = (model: string): boolean => /^qwen(?:3\.[89]|[4-9])/.test(model);
/** Open models that think unless the request says otherwise, and do so in streams only. */
const thinksInStreamsOnly = (model: string): boolean => /^qwen3-(?:\d+(?:\.\d+)?b)(?:-a\d+b)?$/.test(model);

const asSwitch = (body: JsonObject): FieldPatch => effortAsSwitch(body, (isOn) => ({ enable_thinking: isOn }));

function effort(body: JsonObject, model: string): FieldPatch {
  if (!takesEffort(model) || body["reasoning_effort"] === "none") return asSwitch(body);
  return mappedEffort(body, { minimal: "low", max: "xhigh" });
}

/** OpenAI's field for a search, which the vendor reads past (help.aliyun.com/zh/model-studio/web-search). */
const searchAsSwitch = ({ web_search_options: search, enable_search: own }: JsonObject): FieldPatch =>
  isObject(search) ? { remove: ["web_search_options"], set: { enable_search: own ?? true } } : {};

const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isCompletions, patch: olderLimit },
  {
    reason: "the vendor switches thinking on and off by a field of its own",
    appliesTo: isCompletions,
    patch: (body, _options, model) => effort(body, model),
  },
  {
    reason: "the vendor's web search is a switch, without a size or a place",
    appliesTo: isCompletions,
    patch: searchAsSwitch,
  },
  {
    reason: "this model thinks in streams only",
    appliesTo: (model, operation, dialect) => isCompletions(model, operation, dialect) && thinksInStreamsOnly(model),
    patch: (body) => (body["stream"] === true ? {} : { set: { enable_thinking: false } }),
  },
  {
    reason: "the vendor's vectors are numbers only",
    appliesTo: (_model, operation) => operation === "embeddings",
    patch: plainVectors,
  },
  servedMessages({ vendor: "Model Studio", blocks: ["video"], fetchesPictures: true, takesSchemas: true }),
  messagesQuirk("the vendor's thinking is enabled or disabled", (body) =>
    objectOf(body["thinking"])["type"] === "adaptive" ? { set: { thinking: { type: "enabled" } } } : {},
  ),
  servedResponses({
    vendor: "Model Studio",
    keepsAnswers: true,
    tools: [
      "function",
      "web_search",
      "web_extractor",
      "web_search_image",
      "image_search",
      "code_interpreter",
      "file_search",
      "mcp",
    ],
    toolChoices: ["auto", "none", "required", "allowed_tools"],
    textFormats: ["text"],
    fetchesPictures: true,
  }),
];

// Failures of Model Studio, whose codes say what its statuses do not (help.aliyun.com/zh/model-studio/error-code).

/** `insufficient_quota` means tokens a minute; an unpaid account is Arrearage. */
const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  Arrearage: "quota",
  "AllocationQuota.FreeTierOnly": "quota",
  insufficient_quota: "rate",
  InvalidApiKey: "auth",
  invalid_api_key: "auth",
  DataInspectionFailed: "content",
  data_inspection_failed: "content",
  RequestTimeOut: "timeout",
  ResponseTimeout: "timeout",
};

/** A task that failed says why in its output. */
function errorTextIn(parsed: unknown): ErrorText {
  const output = isObject(parsed) ? parsed["output"] : undefined;
  if (!isObject(output) || output["code"] === undefined) return errorTextOf(parsed);
  return { message: textOf(output["message"]), type: "", code: textOf(output["code"]), status: 0 };
}

/** The client's request is wrong or not allowed: a task reports it with a status of success. */
const OF_CLIENT = /^(?:InvalidParameter|InvalidURL|DataInspectionFailed)/;

function failure(status: number, body: string): UpstreamFailure {
  const read = readFailure(status, body, errorTextIn);
  const isOfClient = status < 400 && OF_CLIENT.test(read.code);
  return withKind(isOfClient ? { ...read, kind: "invalid", status: 400, isRetryable: false } : read, KINDS);
}

// Pictures and ranks of Model Studio in its own format (help.aliyun.com/zh/model-studio/text-to-image-v2-api-reference, qwen-image-api,
// text-rerank-api).

/** Models up to Wan 2.5 are tasks; newer ones answer at once, in the form of a conversation. */
const isTask = (model: string): boolean => /^(?:wanx|wan2\.[0-5]|flux|stable-diffusion)/.test(model);

/** How many pictures a model makes at a time. */
function mostPictures(model: string): number {
  if (isTask(model) || model.startsWith("wan")) return 4;
  return model.startsWith("qwen-image-2") ? 6 : 1;
}

const OTHERS = ["quality", "style", "user", "background", "output_format", "output_compression", "moderation"];

function parameters(fields: JsonObject, warn: Warn): JsonObject {
  const model = textOf(fields["model"]);
  inOnePiece(fields);
  atMostPictures(fields, mostPictures(model));
  warnOfSettings(fields, OTHERS, warn);
  const { seed, watermark, prompt_extend } = fields;
  const negative = isTask(model) ? undefined : fields["negative_prompt"];
  const size = wantedSize(fields)?.replace("x", "*");
  return defined({ size, n: wantedPictures(fields), seed, watermark, prompt_extend, negative_prompt: negative });
}

const images: VendorOperation = {
  givesAddresses: true,
  path: (model) =>
    isTask(model)
      ? "/api/v1/services/aigc/text2image/image-synthesis"
      : "/api/v1/services/aigc/multimodal-generation/generation",
  encodeRequest({ fields }, warn) {
    const { model, prompt, negative_prompt } = fields;
    const input = isTask(textOf(model))
      ? defined({ prompt, negative_prompt })
      : { messages: [{ role: "user", content: [{ text: prompt }] }] };
    return { model, input, parameters: parameters(fields, warn) };
  },
  decodeAnswer(answer) {
    const output = objectOf(answer["output"]);
    const drawn = listOf(output["results"]).map((result) => textOf(objectOf(result)["url"]));
    const said = listOf(output["choices"]).flatMap((choice) =>
      listOf(objectOf(objectOf(choice)["message"])["content"]).map((part) => textOf(objectOf(part)["image"])),
    );
    return pictureAnswer([...drawn, ...said]);
  },
  polling: {
    next(answer) {
      const { task_id: id, task_status: status } = objectOf(answer["output"]);
      const isUnderWay = status === "PENDING" || status === "RUNNING";
      return isUnderWay && typeof id === "string" ? `/api/v1/tasks/${encodeURIComponent(id)}` : undefined;
    },
    everyMs: 3_000,
    limitMs: 300_000,
  },
};

/** The one with a compatible form; the others have a body of their own. */
const isCompatible = (model: string): boolean => model.startsWith("qwen3-rerank");

const rerank: VendorOperation = {
  path: (model) =>
    isCompatible(model) ? "/compatible-api/v1/reranks" : "/api/v1/services/rerank/text-rerank/text-rerank",
  encodeRequest({ fields }, warn) {
    warnOfSettings(fields, ["max_chunks_per_doc", "max_chunk_per_doc", "overlap_tokens"], warn);
    const { model, query, top_n, instruct, return_documents } = fields;
    if (isCompatible(textOf(model)))
      return defined({ model, query, documents: documentTexts(fields), top_n, instruct });
    // Pictures and films among the documents are objects, which only one of its models reads.
    const isSeeing = textOf(model).includes("-vl-");
    const documents = isSeeing ? fields["documents"] : documentTexts(fields);
    return { model, input: { query, documents }, parameters: defined({ top_n, return_documents, instruct }) };
  },
  decodeAnswer(answer, { fields }) {
    const results = answer["results"] ?? objectOf(answer["output"])["results"];
    if (!Array.isArray(results)) return undefined;
    const { usage } = answer;
    const counted = isObject(usage) ? { usage } : {};
    return { model: fields["model"], results: rankedResults(results, fields), ...counted };
  },
};

export const alibaba = defineProvider({
  id: 17,
  slug: "alibaba",
  name: "Alibaba Qwen",
  defaultBaseUrl: "https://dashscope.aliyuncs.com",
  models: [
    "qwen3.8-max",
    "qwen3.8-flash",
    "qwen3.7-max",
    "qwen3.7-plus",
    "qwen3.7-flash",
    "qwen3-max",
    "qwen-plus",
    "qwen-flash",
    "qwen3-coder-plus",
    "qwen3-coder-flash",
    "qwen3-vl-plus",
    "text-embedding-v4",
    "qwen-image-2.0-pro",
    "wan2.6-t2i",
    "wan2.7-t2v",
    "wan2.7-i2v",
    "wan2.6-t2v",
    "wan2.6-i2v",
    "wan2.6-i2v-flash",
    "qwen3-rerank",
    "gte-rerank-v2",
  ],
  natives: {
    // help.aliyun.com/zh/model-studio/anthropic-api-messages, help.aliyun.com/en/model-studio/base-url
    "anthropic-messages": { root: "/apps/anthropic/v1", keyHeader: "x-api-key" },
    // help.aliyun.com/en/model-studio/compatibility-with-openai-responses-api
    "openai-responses": { root: "/compatible-mode/v1" },
  },
  baseEndings: ["/compatible-mode"],
  notice: "nativeFormats",
  operations: ["chat", "completions", "embeddings", "images", "rerank", "videos", "models"],
  // help.aliyun.com/zh/model-studio/context-cache: explicit caching, five minutes.
  cacheMarks: "short",
  // help.aliyun.com/zh/model-studio/web-search: a field of its own in chat completions.
  webSearch: "enable_search",
  // help.aliyun.com/zh/model-studio/deep-thinking
  thinkingBudget: "thinking_budget",
  mark: { glyph: "Q", colour: "#6a4fe0" },
  endpoint,
  quirks,
  failure,
  ownOperations: { images, rerank },
});
