/** Zhipu's GLM models: channel type 26 (docs.bigmodel.cn/cn/guide/start/model-overview). */
import { servedMessages } from "../dialects/anthropic-messages/vendors/compatible.ts";
import { defined, listOf, objectOf, ownOf, textOf } from "../dialects/json/fields.ts";
import {
  atMostPictures,
  inOnePiece,
  pictureAnswer,
  wantedSize,
  warnOfSettings,
} from "../dialects/openai-chat/operations/images.ts";
import { GLM_MODELS, GLM_QUIRKS, glmFailure, glmUrl } from "../dialects/openai-chat/vendors/glm.ts";
import { servedResponses } from "../dialects/openai-responses/vendors/compatible.ts";
import type { VendorOperation } from "../dialects/vendor-operation.ts";
import { defineProvider } from "./define.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest, Quirk } from "./provider.ts";

/** Where GLM models are, with the key as it is, which the vendor takes beside signed tokens (docs.bigmodel.cn/cn/api/introduction). */
const endpoint = (channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest => ({
  url: glmUrl(channel.baseUrl, operation === "models" ? "/v1/models" : path),
  headers: ["authorization", `Bearer ${channel.key}`],
});

/** Where GLM models differ from OpenAI's chat completions, and what Zhipu takes of Messages (docs.bigmodel.cn/cn/guide/develop/claude/introduction) and Responses (docs.bigmodel.cn/api-reference/response). */
const quirks: readonly Quirk[] = [
  ...GLM_QUIRKS,
  servedMessages({ vendor: "Zhipu" }),
  servedResponses({
    vendor: "Zhipu",
    keepsAnswers: true,
    tools: ["function", "namespace", "custom", "web_search"],
    toolChoices: ["auto", "none"],
    textFormats: ["text", "json_object"],
    fetchesPictures: true,
    takesFiles: true,
  }),
];

// Zhipu's pictures, which are OpenAI's with fewer settings (docs.bigmodel.cn/api-reference, docs.z.ai/api-reference/image/generate-image).

/** Its two qualities, by the names that OpenAI's models use. */
const QUALITIES: Readonly<Record<string, string>> = {
  standard: "standard",
  low: "standard",
  medium: "standard",
  hd: "hd",
  high: "hd",
};

const images: VendorOperation = {
  givesAddresses: true,
  path: () => "/images/generations",
  encodeRequest({ fields }, warn) {
    inOnePiece(fields);
    atMostPictures(fields, 1);
    warnOfSettings(fields, ["style", "background", "output_format", "output_compression", "moderation"], warn);
    const { model, prompt, quality, user, watermark_enabled } = fields;
    const own = ownOf(QUALITIES, textOf(quality));
    return defined({ model, prompt, quality: own, size: wantedSize(fields), user_id: user, watermark_enabled });
  },
  decodeAnswer: ({ data, created }) =>
    pictureAnswer(
      listOf(data).map((picture) => textOf(objectOf(picture)["url"])),
      defined({ created }),
    ),
};

export const zhipuV4 = defineProvider({
  id: 26,
  slug: "zhipu-v4",
  name: "Zhipu GLM (v4)",
  defaultBaseUrl: "https://open.bigmodel.cn",
  keyHint: "xxxxxxxxxxxxxxxx.xxxxxxxx",
  models: [...GLM_MODELS, "glm-image", "cogview-4-250304"],
  notice: "nativeFormats",
  operations: ["chat", "embeddings", "images", "models"],
  natives: {
    // docs.bigmodel.cn/cn/guide/develop/claude/introduction; abroad and in the coding plan docs.z.ai/devpack/tool/claude
    "anthropic-messages": { root: "/api/anthropic/v1", keyHeader: "x-api-key" },
    // docs.bigmodel.cn/api-reference/response
    "openai-responses": { root: "/api/v1" },
  },
  baseEndings: ["/api/paas/v4", "/api/coding/paas/v4"],
  supportsStreamUsage: false,
  // The search of chat completions is a tool of its own with a search engine to choose (docs.bigmodel.cn/cn/guide/tools/web-search).
  webSearch: "none",
  mark: { glyph: "Z", colour: "#2a6fd8" },
  endpoint,
  quirks,
  // Its codes say what its statuses do not.
  failure: (status, body) => glmFailure(status, body),
  ownOperations: { images },
});
