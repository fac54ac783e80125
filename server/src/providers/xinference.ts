/** A Xinference server: channel type 47 (inference.readthedocs.io/en/latest/user_guide/client_api.html). */
import { mappedEffort, isCompletions, olderLimit } from "../dialects/openai-chat/compatible.ts";
import { defineProvider } from "./define.ts";
import type { Quirk } from "./provider.ts";

/** Where Xinference differs from OpenAI's chat completions (inference.readthedocs.io, "Client API"). */
const quirks: readonly Quirk[] = [
  { reason: "older servers bound answers by max_tokens alone", appliesTo: isCompletions, patch: olderLimit },
  {
    reason: "the engines behind it know the efforts none, low, medium and high",
    appliesTo: isCompletions,
    patch: (body) => mappedEffort(body, { minimal: "low", xhigh: "high", max: "high" }),
  },
];

export const xinference = defineProvider({
  id: 47,
  slug: "xinference",
  name: "Xinference",
  defaultBaseUrl: "",
  fields: [{ name: "base_url", label: "baseUrl", isRequired: true, placeholder: "http://127.0.0.1:9997" }],
  models: ["qwen3", "bge-m3", "bge-reranker-v2-m3"],
  operations: [
    "chat",
    "completions",
    "embeddings",
    "rerank",
    "images",
    "speech",
    "transcriptions",
    "translations",
    "models",
  ],
  mark: { glyph: "X", colour: "#0f766e" },
  quirks,
});
