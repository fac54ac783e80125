/** Claude at Vertex AI: Anthropic's format with the model in the path, dates behind an at sign, and the version in the body. */
import { anthropicVendor } from "../../../fake-upstream/anthropic/anthropic.ts";
import { fieldsOf } from "../../clients/client-formats.ts";
import { jsonIn } from "../hosted.ts";
import { OF_CLAUDE, vertexVendor } from "../vertex.ts";

const MODEL = "claude-haiku-4-5-20251001";
const TARGET = "publishers/anthropic/models/claude-haiku-4-5@20251001:";

export const vendor = vertexVendor(
  {
    name: "Vertex AI with Claude",
    model: MODEL,
    takesTools: true,
    takesPictures: true,
    thinks: true,
    takesSchemas: true,
    counted: { inputTokens: 164, outputTokens: 20, cacheReadTokens: 64 },
  },
  "v1",
  OF_CLAUDE,
  (target, request) => {
    const action = target.startsWith(TARGET) ? target.slice(TARGET.length) : "";
    const { anthropic_version: version, ...json } = jsonIn(request);
    const isStream = json["stream"] === true;
    if (action !== (isStream ? "streamRawPredict" : "rawPredict")) return `there is no ${target}`;
    if (version !== "vertex-2023-10-16") return "anthropic_version: Field required";
    if (json["model"] !== undefined) return "model: Extra inputs are not permitted";
    return {
      vendor: anthropicVendor,
      path: "/v1/messages",
      headers: { "anthropic-version": "2023-06-01" },
      json: { ...json, model: MODEL },
      usage: { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 64, output_tokens: 20 },
      asksThinking: ["enabled", "adaptive"].includes(String(fieldsOf(json["thinking"])["type"])),
    };
  },
);
