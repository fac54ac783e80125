/** Volcano Engine's Ark (Doubao): channel type 45 (volcengine.com/docs/82379/1330310). */
import { servedMessages } from "../dialects/anthropic-messages/vendors/compatible.ts";
import { defined, isObject, listOf, textOf } from "../dialects/json/fields.ts";
import { readFailure, withKind } from "../dialects/neutral/failure.ts";
import { TranslationFault } from "../dialects/neutral/neutral.ts";
import { mappedEffort, isCompletions, systemRole } from "../dialects/openai-chat/compatible.ts";
import { wantedPictures, wantedSize, warnOfSettings } from "../dialects/openai-chat/operations/images.ts";
import { effortInReasoning, servedResponses } from "../dialects/openai-responses/vendors/compatible.ts";
import type { VendorOperation } from "../dialects/vendor-operation.ts";
import { defineProvider } from "./define.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest, Quirk, UpstreamFailure } from "./provider.ts";

// Ark's addresses: apps, whose names begin with `bot-`, have one of their own (volcengine.com/docs/82379/1298454, /1526787), as has the coding
// plan (volcengine.com/article/38136).

const ROOT = "/api/v3";
const PLAN_ROOT = "/api/coding/v3";

/** Behind the base URL, which may end in either root; that of the plan may lack its version. */
function endpoint(channel: ProviderChannel, { operation, path, model }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/\/+$/, "");
  const isPlan = /\/api\/coding(?:\/v3)?$/.test(base);
  const target = operation === "models" ? "/models" : path.replace(/^\/v1(?=\/)/, "");
  const room = operation === "chat" && model.startsWith("bot-") ? "/bots" : "";
  const url = base.replace(/\/api\/(?:coding(?:\/v3)?|v3)$/, "") + (isPlan ? PLAN_ROOT : ROOT) + room + target;
  return { url, headers: ["authorization", `Bearer ${channel.key}`] };
}

// Where Ark differs from OpenAI's chat completions (volcengine.com/docs/82379/1494384, /1449737), and what it takes of Messages (/2160841) and
// Responses (docs.volcengine.com/docs/ark/create-model-responses-api).

const EFFORTS = { none: "minimal", xhigh: "high", max: "high" };

const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompletions, patch: systemRole },
  {
    reason: "the vendor knows the efforts minimal, which is none, to high",
    appliesTo: isCompletions,
    patch: (body) => mappedEffort(body, EFFORTS),
  },
  servedMessages({ vendor: "Ark", fetchesPictures: true }),
  servedResponses({
    vendor: "Ark",
    keepsAnswers: true,
    tools: ["function", "web_search", "image_process", "mcp", "knowledge_search", "doubao_app"],
    fetchesPictures: true,
    takesFiles: true,
  }),
  effortInReasoning(EFFORTS),
];

// Failures of Ark, whose codes say what its statuses do not (volcengine.com/docs/82379/1299023).

const KINDS = {
  AccountOverdueError: "quota",
  QuotaExceeded: "quota",
  SetLimitExceeded: "quota",
  ServerOverloaded: "overloaded",
} as const;

/** InputTextRiskDetection, OutputImageSensitiveContentDetected and their like, with a reason behind a dot. */
const REFUSED_CONTENT = /(?:RiskDetection|SensitiveContentDetected)(?:\.|$)/;

function failure(status: number, body: string): UpstreamFailure {
  const read = readFailure(status, body);
  return REFUSED_CONTENT.test(read.code) ? { ...read, kind: "content", isRetryable: false } : withKind(read, KINDS);
}

// Ark's pictures: Seedream makes several as one set (volcengine.com/docs/82379/1541523).

const OTHERS = [
  "quality",
  "style",
  "user",
  "background",
  "output_compression",
  "moderation",
  // How many pictures come is the field that they are held and charged by.
  "sequential_image_generation",
  "sequential_image_generation_options",
];

const images: VendorOperation = {
  path: () => "/images/generations",
  encodeRequest({ fields }, warn) {
    if (fields["stream"] === true)
      throw new TranslationFault("stream", "The model behind this name sends its pictures in one piece.");
    warnOfSettings(fields, OTHERS, warn);
    const count = wantedPictures(fields);
    const { model, prompt, response_format, seed, guidance_scale, watermark, image, output_format } = fields;
    const asSet = { sequential_image_generation: "auto", sequential_image_generation_options: { max_images: count } };
    return defined({
      model,
      prompt,
      size: wantedSize(fields),
      response_format,
      seed,
      guidance_scale,
      watermark,
      image,
      output_format,
      ...(count > 1 ? asSet : {}),
    });
  },
  /** Pictures of a set that failed are in it as errors. */
  decodeAnswer({ data, created, usage }) {
    const made = listOf(data)
      .filter(isObject)
      .filter(({ url, b64_json: bytes }) => textOf(url) !== "" || textOf(bytes) !== "");
    return made.length === 0 ? undefined : { ...defined({ created, usage }), data: made };
  },
};

export const volcengine = defineProvider({
  id: 45,
  slug: "volcengine",
  name: "Volcano Ark (Doubao)",
  defaultBaseUrl: "https://ark.cn-beijing.volces.com",
  keyHint: "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
  models: [
    "doubao-seed-2-1-pro-260628",
    "doubao-seed-2-1-turbo-260628",
    "doubao-seed-2-0-pro-260215",
    "doubao-seed-2-0-lite-260428",
    "doubao-seed-2-0-mini-260428",
    "doubao-seed-2-0-code-preview-260215",
    "doubao-seed-1-8-251228",
    "doubao-seed-1-6-251015",
    "doubao-seed-1-6-flash-250828",
    "doubao-seedream-4-5-251128",
    "doubao-seedream-4-0-250828",
    "doubao-seedance-2-0-260128",
    "doubao-seedance-1-5-pro-251215",
  ],
  natives: {
    // volcengine.com/docs/82379/2160841; the coding plan has a root of its own (volcengine.com/article/38136).
    "anthropic-messages": {
      root: "/api/compatible/v1",
      plans: { "/api/coding": "/api/coding/v1", "/api/coding/v3": "/api/coding/v1" },
      models: /^(?!bot-)/,
    },
    // docs.volcengine.com/docs/ark/create-model-responses-api
    "openai-responses": {
      root: "/api/v3",
      plans: { "/api/coding": "/api/coding/v3", "/api/coding/v3": "/api/coding/v3" },
      models: /^(?!bot-)/,
    },
  },
  notice: "nativeFormats",
  operations: ["chat", "embeddings", "images", "videos", "models"],
  // docs.volcengine.com/docs/ark/create-model-responses-api: searches are of the Responses API.
  webSearch: "none",
  mark: { glyph: "V", colour: "#1f7fd6" },
  endpoint,
  quirks,
  failure,
  ownOperations: { images },
});
