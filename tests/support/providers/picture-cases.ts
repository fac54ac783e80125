/** Pictures and ranks in the own format of vendors whose chat is OpenAI's (tests/fixtures/providers/<slug>/source.txt has the pages). */
import type { OperationCase } from "./operation-case.ts";

const URL = "https://a.example/cat.png";
const TASK = { task_id: "86ecf553", task_status: "RUNNING" };
const DOCUMENTS = ["one", { text: "two" }];
const RANKED = [{ index: 1, relevance_score: 0.9 }];

export const PICTURE_CASES: readonly OperationCase[] = [
  {
    name: "Alibaba draws as a task that is asked for",
    type: 17,
    operation: "images",
    asks: {
      model: "wan2.2-t2i-flash",
      prompt: "a cat",
      n: 2,
      size: "1024x768",
      quality: "hd",
      negative_prompt: "dogs",
    },
    exchanges: [
      {
        path: "/api/v1/services/aigc/text2image/image-synthesis",
        headers: { "x-dashscope-async": "enable" },
        wants: {
          model: "wan2.2-t2i-flash",
          input: { prompt: "a cat", negative_prompt: "dogs" },
          parameters: { size: "1024*768", n: 2 },
        },
        says: { output: { ...TASK, task_status: "PENDING" }, request_id: "r" },
      },
      { method: "GET", path: "/api/v1/tasks/86ecf553", says: { output: TASK } },
      {
        method: "GET",
        path: "/api/v1/tasks/86ecf553",
        says: {
          output: {
            ...TASK,
            task_status: "SUCCEEDED",
            results: [{ url: URL }, { code: "InternalError.Timeout", message: "one of them failed" }],
          },
          usage: { image_count: 1 },
        },
      },
    ],
    gets: { data: [{ url: URL }] },
    price: "0.01",
    charge: 5_000,
    warned: ["quality"],
  },
  {
    name: "Alibaba's newer models draw at once",
    type: 17,
    operation: "images",
    asks: { model: "qwen-image-2.0-pro", prompt: "a cat", negative_prompt: "dogs", watermark: false },
    exchanges: [
      {
        path: "/api/v1/services/aigc/multimodal-generation/generation",
        wants: {
          model: "qwen-image-2.0-pro",
          input: { messages: [{ role: "user", content: [{ text: "a cat" }] }] },
          parameters: { n: 1, watermark: false, negative_prompt: "dogs" },
        },
        says: {
          output: { choices: [{ finish_reason: "stop", message: { role: "assistant", content: [{ image: URL }] } }] },
          usage: { image_count: 1, width: 2048, height: 2048 },
        },
      },
    ],
    gets: { data: [{ url: URL }] },
  },
  {
    name: "Alibaba ranks documents in its compatible form",
    type: 17,
    operation: "rerank",
    asks: { model: "qwen3-rerank", query: "q", documents: DOCUMENTS, top_n: 1, return_documents: true },
    exchanges: [
      {
        path: "/compatible-api/v1/reranks",
        wants: { model: "qwen3-rerank", query: "q", documents: ["one", "two"], top_n: 1 },
        says: { object: "list", results: RANKED, usage: { total_tokens: 79 } },
      },
    ],
    gets: { results: [{ index: 1, relevance_score: 0.9, document: { text: "two" } }], usage: { total_tokens: 79 } },
    counted: { inputTokens: 79 },
  },
  {
    name: "Alibaba ranks documents in its own form",
    type: 17,
    operation: "rerank",
    asks: { model: "gte-rerank-v2", query: "q", documents: DOCUMENTS, top_n: 1 },
    exchanges: [
      {
        path: "/api/v1/services/rerank/text-rerank/text-rerank",
        wants: { model: "gte-rerank-v2", input: { query: "q", documents: ["one", "two"] }, parameters: { top_n: 1 } },
        says: { output: { results: RANKED }, usage: { total_tokens: 79 }, request_id: "r" },
      },
    ],
    gets: { results: RANKED },
    counted: { inputTokens: 79 },
  },
  {
    name: "Zhipu draws",
    type: 26,
    operation: "images",
    asks: { model: "cogview-4-250304", prompt: "a cat", quality: "high", size: "auto", user: "user-1", style: "vivid" },
    exchanges: [
      {
        path: "/api/paas/v4/images/generations",
        wants: { model: "cogview-4-250304", prompt: "a cat", quality: "hd", user_id: "user-1" },
        says: { created: 1, data: [{ url: URL }], content_filter: [{ role: "assistant", level: 3 }] },
      },
    ],
    gets: { created: 1, data: [{ url: URL }] },
    warned: ["style"],
  },
  {
    name: "Ark draws a set and is counted by its tokens",
    type: 45,
    operation: "images",
    asks: {
      model: "doubao-seedream-4-5-251128",
      prompt: "a cat",
      n: 2,
      size: "2048x2048",
      response_format: "b64_json",
      sequential_image_generation_options: { max_images: 9 },
    },
    exchanges: [
      {
        path: "/api/v3/images/generations",
        wants: {
          model: "doubao-seedream-4-5-251128",
          prompt: "a cat",
          size: "2048x2048",
          response_format: "b64_json",
          sequential_image_generation: "auto",
          sequential_image_generation_options: { max_images: 2 },
        },
        says: {
          model: "doubao-seedream-4-5-251128",
          created: 1,
          data: [{ b64_json: "/9j/AA==", size: "2048x2048" }, { error: { code: "x", message: "y" } }],
          usage: { generated_images: 1, output_tokens: 16_384, total_tokens: 16_384 },
        },
      },
    ],
    gets: { created: 1, data: [{ b64_json: "/9j/AA==", size: "2048x2048" }] },
    counted: { outputTokens: 16_384, imageOutputTokens: 16_384 },
    warned: ["sequential_image_generation_options"],
  },
  {
    name: "SiliconFlow draws under names of its own",
    type: 40,
    operation: "images",
    asks: { model: "Kwai-Kolors/Kolors", prompt: "a cat", n: 2, size: "1024x1024", seed: 7, image_size: "1x1" },
    exchanges: [
      {
        path: "/v1/images/generations",
        wants: { model: "Kwai-Kolors/Kolors", prompt: "a cat", image_size: "1024x1024", batch_size: 2, seed: 7 },
        says: { images: [{ url: URL }, { url: URL }], timings: { inference: 1.2 }, seed: 7 },
      },
    ],
    gets: { data: [{ url: URL }, { url: URL }] },
    price: "0.01",
    charge: 10_000,
  },
  {
    name: "MiniMax draws in pixels, and in bytes where the client wants them",
    type: 35,
    operation: "images",
    asks: { model: "image-01", prompt: "a cat", n: 2, size: "1536x1024", response_format: "b64_json", style: "vivid" },
    exchanges: [
      {
        path: "/v1/image_generation",
        wants: {
          model: "image-01",
          prompt: "a cat",
          n: 2,
          response_format: "base64",
          width: 1536,
          height: 1024,
        },
        says: {
          id: "i",
          data: { image_base64: ["/9j/AA==", "/9j/AA=="] },
          metadata: { failed_count: "0", success_count: "2" },
          base_resp: { status_code: 0, status_msg: "success" },
        },
      },
    ],
    gets: { data: [{ b64_json: "/9j/AA==" }, { b64_json: "/9j/AA==" }] },
    price: "0.01",
    charge: 10_000,
    warned: ["style"],
  },
  {
    name: "MiniMax's other model draws in shapes, and is charged for what came",
    type: 35,
    operation: "images",
    asks: { model: "image-01-live", prompt: "a cat", n: 2, size: "1700x1000", style: { style_type: "水彩" } },
    exchanges: [
      {
        path: "/v1/image_generation",
        wants: {
          model: "image-01-live",
          prompt: "a cat",
          n: 2,
          response_format: "url",
          aspect_ratio: "16:9",
          style: { style_type: "水彩" },
        },
        says: { id: "i", data: { image_urls: [URL] }, base_resp: { status_code: 0, status_msg: "success" } },
      },
    ],
    gets: { data: [{ url: URL }] },
    price: "0.01",
    charge: 5_000,
    warned: ["size"],
  },
  {
    name: "Qianfan draws",
    type: 46,
    operation: "images",
    asks: { model: "irag-1.0", prompt: "a cat", size: "1024x1024" },
    exchanges: [
      {
        path: "/v2/images/generations",
        wants: { model: "irag-1.0", prompt: "a cat", n: 1, size: "1024x1024" },
        says: { id: "i", created: 1, data: [{ url: URL }] },
      },
    ],
    gets: { created: 1, data: [{ url: URL }] },
  },
  {
    name: "Qianfan ranks documents",
    type: 46,
    operation: "rerank",
    asks: { model: "bce-reranker-base", query: "q", documents: DOCUMENTS, overlap_tokens: 1 },
    exchanges: [
      {
        path: "/v2/rerankers",
        wants: { model: "bce-reranker-base", query: "q", documents: ["one", "two"] },
        says: {
          id: "r",
          object: "rerank_list",
          created: 1,
          results: [{ document: "two", relevance_score: 0.9, index: 1 }],
          usage: { prompt_tokens: 6, total_tokens: 6 },
        },
      },
    ],
    gets: { results: RANKED, usage: { total_tokens: 6 } },
    counted: { inputTokens: 6 },
    warned: ["overlap_tokens"],
  },
];
