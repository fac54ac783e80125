/** Its calls beside chat: vectors, pictures as a task, speech in hexadecimal, and recordings as bytes. */
import { listOf, objectOf, textOf } from "../../../../server/src/dialects/json/fields.ts";
import type { VendorOperation } from "../../../../server/src/dialects/vendor-operation.ts";
import type { Operation } from "../../../../server/src/providers/provider.ts";

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = {
  embeddings: {
    path: (model) => `/vectors/${model}`,
    encodeRequest: ({ fields }, warn) => {
      if (fields["user"] !== undefined) warn("user", "the vendor knows none");
      return { texts: fields["input"] };
    },
    decodeAnswer: ({ vectors, counted }) => ({
      object: "list",
      data: listOf(vectors).map((embedding, index) => ({ object: "embedding", index, embedding })),
      usage: { prompt_tokens: counted, total_tokens: counted },
    }),
  },
  images: {
    path: () => "/draw",
    encodeRequest: ({ fields }) => ({ what: fields["prompt"] }),
    decodeAnswer: ({ url }) => (typeof url === "string" ? { created: 1, data: [{ url }] } : undefined),
    polling: {
      next: ({ task, url }) => (typeof task === "string" && url === undefined ? `/task/${task}` : undefined),
      everyMs: 5,
      limitMs: 5_000,
    },
  },
  speech: {
    path: () => "/speak",
    encodeRequest: ({ fields }) => ({ words: fields["input"] }),
    decodeAnswer: ({ audio }) => ({ bytes: Buffer.from(textOf(audio), "hex"), mimeType: "audio/mpeg" }),
  },
  transcriptions: {
    path: (model) => `/listen?model=${model}`,
    encodeRequest: ({ files }) => ({ bytes: files["file"]?.bytes ?? Buffer.alloc(0), mimeType: "audio/wav" }),
    decodeAnswer: (answer) => ({ text: textOf(objectOf(answer["result"])["text"]) }),
  },
};
