/** The endpoint types of this API family: the calls that a model supports, with the path of each (constant/endpoint_type.go of github.com/QuantumNous/new-api). */

/** In the order in which a model's list has them: programs take the first one that they know. */
export const ENDPOINT_TYPES = [
  "jina-rerank",
  "image-generation",
  "openai-video",
  "anthropic",
  "gemini",
  "openai",
] as const;
export type EndpointType = (typeof ENDPOINT_TYPES)[number];

const post = (path: string) => ({ path, method: "POST" });

/** Where each is called. */
export const ENDPOINT_ADDRESSES: Readonly<Record<EndpointType, { path: string; method: string }>> = {
  "jina-rerank": post("/v1/rerank"),
  "image-generation": post("/v1/images/generations"),
  "openai-video": post("/v1/videos"),
  anthropic: post("/v1/messages"),
  gemini: post("/v1beta/models/{model}:generateContent"),
  openai: post("/v1/chat/completions"),
};
