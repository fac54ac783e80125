/** Qianfan's pictures and ranks (cloud.baidu.com/doc/qianfan-api/s/8m7u6un8a, cloud.baidu.com/doc/WENXINWORKSHOP/s/Dm6071svf). */
import { defined, isObject, listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import {
  atMostPictures,
  inOnePiece,
  pictureAnswer,
  wantedPictures,
  wantedSize,
  warnOfSettings,
} from "../../dialects/openai-chat/operations/images.ts";
import { documentTexts, rankedResults } from "../../dialects/openai-chat/operations/rerank.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import type { Operation } from "../provider.ts";

const images: VendorOperation = {
  givesAddresses: true,
  path: () => "/v1/images/generations",
  encodeRequest({ fields }, warn) {
    inOnePiece(fields);
    atMostPictures(fields, 4);
    const others = ["quality", "style", "background", "output_format", "output_compression", "moderation"];
    warnOfSettings(fields, others, warn);
    const { model, prompt, refer_image, user } = fields;
    return defined({ model, prompt, refer_image, n: wantedPictures(fields), size: wantedSize(fields), user });
  },
  decodeAnswer: ({ data, created }) =>
    pictureAnswer(
      listOf(data).map((picture) => textOf(objectOf(picture)["url"])),
      defined({ created }),
    ),
};

const rerank: VendorOperation = {
  path: () => "/v1/rerankers",
  encodeRequest({ fields }, warn) {
    warnOfSettings(fields, ["max_chunks_per_doc", "max_chunk_per_doc", "overlap_tokens"], warn);
    const { model, query, top_n, user } = fields;
    return defined({ model, query, documents: documentTexts(fields), top_n, user });
  },
  /** The vendor sends the documents back as texts, whether they are wanted or not. */
  decodeAnswer({ id, results, usage }, { fields }) {
    if (!Array.isArray(results)) return undefined;
    const plain = results.filter(isObject).map(({ document: _document, ...result }) => result);
    return { ...defined({ id, usage }), model: fields["model"], results: rankedResults(plain, fields) };
  },
};

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = { images, rerank };
