/** Open models at Vertex AI: OpenAI's format at one address, the model in the body. */
import { openAiChatVendor } from "../../../fake-upstream/openai/chat.ts";
import { jsonIn } from "../hosted.ts";
import { OF_OPEN_MODELS, vertexVendor } from "../vertex.ts";

const MODEL = "meta/llama-3.3-70b-instruct-maas";

export const vendor = vertexVendor(
  {
    name: "Vertex AI with Llama",
    model: MODEL,
    takesTools: true,
    takesPictures: false,
    thinks: false,
    takesSchemas: true,
    counted: { inputTokens: 100, outputTokens: 20 },
  },
  "v1beta1",
  OF_OPEN_MODELS,
  (target, request) => {
    const json = jsonIn(request);
    if (target !== "endpoints/openapi/chat/completions") return `there is no ${target}`;
    if (json["model"] !== MODEL) return `there is no model ${String(json["model"])}`;
    return {
      vendor: openAiChatVendor,
      path: "/v1/chat/completions",
      json,
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
    };
  },
);
