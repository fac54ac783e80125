/** Calls beside chat as vendors document them: what a client asks, what the vendor wants to see and says, and what the client gets. */
import type { Operation } from "../../../server/src/providers/provider.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One answer of the vendor; `wants` is all that may come. */
interface Exchange {
  method?: "GET" | "POST";
  /** With its query. */
  path: string;
  /** The whole body; a text where it is no JSON. Absent for a GET. */
  wants?: Fields | string;
  /** Headers besides the key. */
  headers?: Readonly<Record<string, string>>;
  says: Fields;
  status?: number;
}

export interface OperationCase {
  name: string;
  /** Channel type. */
  type: number;
  other?: string;
  operation: Operation;
  /** As the client sends it; a `file` goes as a form. */
  asks: Fields;
  file?: { name: string; bytes: Buffer };
  exchanges: readonly Exchange[];
  /** At least these fields. */
  gets: Fields;
  /** Price of a call; by tokens where absent. */
  price?: string;
  /** In quota. */
  charge?: number;
  /** In the receipt, at least. */
  counted?: Fields;
  /** Names of fields in the warnings. */
  warned?: readonly string[];
}

const DOCUMENTS = ["one", { text: "two" }];

export const OPERATION_CASES: readonly OperationCase[] = [
  {
    name: "Cohere makes vectors",
    type: 34,
    operation: "embeddings",
    asks: { model: "embed-v4.0", input: ["a", "b"], dimensions: 256, user: "u" },
    exchanges: [
      {
        path: "/v2/embed",
        wants: {
          model: "embed-v4.0",
          texts: ["a", "b"],
          input_type: "search_document",
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
];
