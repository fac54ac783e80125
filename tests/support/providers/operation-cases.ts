/** Calls beside chat as vendors document them: vectors and ranks; pictures and Cloudflare's calls have files of their own. */
import { CLOUDFLARE_CASES } from "./cloudflare-cases.ts";
import type { OperationCase } from "./operation-case.ts";
import { PICTURE_CASES } from "./picture-cases.ts";

const DOCUMENTS = ["one", { text: "two" }];

export const OPERATION_CASES: readonly OperationCase[] = [
  {
    name: "Cohere makes vectors",
    type: 34,
    operation: "embeddings",
    asks: { model: "embed-v4.0", input: ["a", "b"], dimensions: 256, user: "u", task_type: "CLUSTERING", title: "t" },
    exchanges: [
      {
        path: "/v2/embed",
        wants: {
          model: "embed-v4.0",
          texts: ["a", "b"],
          input_type: "clustering",
          embedding_types: ["float"],
          output_dimension: 256,
        },
        says: {
          id: "e",
          embeddings: {
            float: [
              [0.5, 1],
              [2, 3],
            ],
          },
          texts: ["a", "b"],
          meta: { billed_units: { input_tokens: 7 } },
        },
      },
    ],
    gets: {
      object: "list",
      data: [
        { object: "embedding", index: 0, embedding: [0.5, 1] },
        { object: "embedding", index: 1, embedding: [2, 3] },
      ],
      usage: { prompt_tokens: 7, total_tokens: 7 },
    },
    counted: { inputTokens: 7 },
    warned: ["user"],
  },
  {
    name: "Cohere's vectors come in base64 where they are asked for so",
    type: 34,
    operation: "embeddings",
    asks: { model: "embed-v4.0", input: "a", encoding_format: "base64", input_type: "search_query" },
    exchanges: [
      {
        path: "/v2/embed",
        wants: { model: "embed-v4.0", texts: ["a"], input_type: "search_query", embedding_types: ["float"] },
        says: { id: "e", embeddings: { float: [[0.5, 1]] } },
      },
    ],
    // 0.5 and 1 as 32-bit floats, the least byte first
    gets: { data: [{ object: "embedding", index: 0, embedding: "AAAAPwAAgD8=" }] },
  },
  {
    name: "Cohere ranks documents by search units",
    type: 34,
    operation: "rerank",
    asks: {
      model: "rerank-v3.5",
      query: "q",
      documents: DOCUMENTS,
      top_n: 1,
      return_documents: true,
      overlap_tokens: 80,
    },
    exchanges: [
      {
        path: "/v2/rerank",
        wants: { model: "rerank-v3.5", query: "q", documents: ["one", "two"], top_n: 1 },
        says: {
          id: "r",
          results: [{ index: 1, relevance_score: 0.9 }],
          meta: { api_version: { version: "2" }, billed_units: { search_units: 3 } },
        },
      },
    ],
    gets: { results: [{ index: 1, relevance_score: 0.9, document: { text: "two" } }] },
    price: "0.01",
    charge: 15_000,
    warned: ["overlap_tokens"],
  },
  {
    name: "Cohere ranks documents by tokens",
    type: 34,
    operation: "rerank",
    asks: { model: "rerank-v5.0-fast", query: "q", documents: [{ title: "t", body: "b" }] },
    exchanges: [
      {
        path: "/v2/rerank",
        wants: { model: "rerank-v5.0-fast", query: "q", documents: ['{"title":"t","body":"b"}'] },
        says: {
          id: "r",
          results: [{ index: 0, relevance_score: 0.5 }],
          meta: { billed_units: { input_tokens: 40 } },
        },
      },
    ],
    gets: { results: [{ index: 0, relevance_score: 0.5 }] },
    counted: { inputTokens: 40 },
  },
  {
    name: "Ollama makes one vector of each text and counts them",
    type: 4,
    operation: "embeddings",
    asks: { model: "embeddinggemma", input: ["a", "b", "c"], encoding_format: "float", keep_alive: "5m" },
    exchanges: [
      {
        path: "/api/embed",
        wants: { model: "embeddinggemma", input: ["a", "b", "c"], keep_alive: "5m" },
        says: {
          model: "embeddinggemma",
          embeddings: [
            [1, 2],
            [3, 4],
            [5, 6],
          ],
          total_duration: 14143917,
          load_duration: 1019500,
          prompt_eval_count: 8,
        },
      },
    ],
    gets: {
      data: [
        { object: "embedding", index: 0, embedding: [1, 2] },
        { object: "embedding", index: 1, embedding: [3, 4] },
        { object: "embedding", index: 2, embedding: [5, 6] },
      ],
      usage: { prompt_tokens: 8, total_tokens: 8 },
    },
    counted: { inputTokens: 8 },
  },
  {
    name: "Jina makes vectors of pictures and texts",
    type: 38,
    operation: "embeddings",
    asks: { model: "jina-embeddings-v4", input: [{ image: "https://a.example/a.png" }, { text: "a" }], user: "u" },
    exchanges: [
      {
        path: "/v1/embeddings",
        wants: { model: "jina-embeddings-v4", input: [{ image: "https://a.example/a.png" }, { text: "a" }] },
        says: {
          model: "jina-embeddings-v4",
          object: "list",
          usage: { total_tokens: 12 },
          data: [{ object: "embedding", index: 0, embedding: [1] }],
        },
      },
    ],
    gets: { data: [{ index: 0, embedding: [1] }], usage: { total_tokens: 12 } },
    counted: { inputTokens: 12 },
    warned: ["user"],
  },
  {
    name: "Jina ranks documents",
    type: 38,
    operation: "rerank",
    asks: { model: "jina-reranker-v3", query: "q", documents: ["one"], return_documents: false },
    exchanges: [
      {
        path: "/v1/rerank",
        wants: { model: "jina-reranker-v3", query: "q", documents: ["one"], return_documents: false },
        says: { model: "jina-reranker-v3", usage: { total_tokens: 9 }, results: [{ index: 0, relevance_score: 0.3 }] },
      },
    ],
    gets: { results: [{ index: 0, relevance_score: 0.3 }] },
    counted: { inputTokens: 9 },
  },
  {
    name: "Moka makes vectors",
    type: 44,
    operation: "embeddings",
    asks: { model: "m3e-base", input: "a", encoding_format: "float" },
    exchanges: [
      {
        path: "/embeddings",
        wants: { model: "m3e-base", input: "a" },
        says: {
          object: "list",
          data: [{ object: "embedding", index: 0, embedding: [1] }],
          usage: { prompt_tokens: 4, total_tokens: 4 },
        },
      },
    ],
    gets: { data: [{ index: 0, embedding: [1] }] },
    counted: { inputTokens: 4 },
  },
  ...CLOUDFLARE_CASES,
  ...PICTURE_CASES,
];
