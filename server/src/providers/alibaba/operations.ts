/** Pictures and ranks of Model Studio in its own words (help.aliyun.com/zh/model-studio/text-to-image-v2-api-reference, qwen-image-api, text-rerank-api). */
import { defined, isObject, listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject, Warn } from "../../dialects/neutral/neutral.ts";
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

/** Models up to Wan 2.5 are tasks; newer ones answer at once, in the form of a conversation. */
const isTask = (model: string): boolean => /^(?:wanx|wan2\.[0-5]|flux|stable-diffusion)/.test(model);

/** How many pictures a model makes at a time. */
function mostPictures(model: string): number {
  if (isTask(model) || model.startsWith("wan")) return 4;
  return model.startsWith("qwen-image-2") ? 6 : 1;
}

const OTHERS = ["quality", "style", "user", "background", "output_format", "output_compression", "moderation"];

function parameters(fields: JsonObject, warn: Warn): JsonObject {
  const model = textOf(fields["model"]);
  inOnePiece(fields);
  atMostPictures(fields, mostPictures(model));
  warnOfSettings(fields, OTHERS, warn);
  const { seed, watermark, prompt_extend } = fields;
  const negative = isTask(model) ? undefined : fields["negative_prompt"];
  const size = wantedSize(fields)?.replace("x", "*");
  return defined({ size, n: wantedPictures(fields), seed, watermark, prompt_extend, negative_prompt: negative });
}

const images: VendorOperation = {
  givesAddresses: true,
  path: (model) =>
    isTask(model)
      ? "/api/v1/services/aigc/text2image/image-synthesis"
      : "/api/v1/services/aigc/multimodal-generation/generation",
  encodeRequest({ fields }, warn) {
    const { model, prompt, negative_prompt } = fields;
    const input = isTask(textOf(model))
      ? defined({ prompt, negative_prompt })
      : { messages: [{ role: "user", content: [{ text: prompt }] }] };
    return { model, input, parameters: parameters(fields, warn) };
  },
  decodeAnswer(answer) {
    const output = objectOf(answer["output"]);
    const drawn = listOf(output["results"]).map((result) => textOf(objectOf(result)["url"]));
    const said = listOf(output["choices"]).flatMap((choice) =>
      listOf(objectOf(objectOf(choice)["message"])["content"]).map((part) => textOf(objectOf(part)["image"])),
    );
    return pictureAnswer([...drawn, ...said]);
  },
  polling: {
    next(answer) {
      const { task_id: id, task_status: status } = objectOf(answer["output"]);
      const isUnderWay = status === "PENDING" || status === "RUNNING";
      return isUnderWay && typeof id === "string" ? `/api/v1/tasks/${encodeURIComponent(id)}` : undefined;
    },
    everyMs: 3_000,
    limitMs: 300_000,
  },
};

/** The one with a compatible form; the others have a body of their own. */
const isCompatible = (model: string): boolean => model.startsWith("qwen3-rerank");

const rerank: VendorOperation = {
  path: (model) =>
    isCompatible(model) ? "/compatible-api/v1/reranks" : "/api/v1/services/rerank/text-rerank/text-rerank",
  encodeRequest({ fields }, warn) {
    warnOfSettings(fields, ["max_chunks_per_doc", "max_chunk_per_doc", "overlap_tokens"], warn);
    const { model, query, top_n, instruct, return_documents } = fields;
    if (isCompatible(textOf(model)))
      return defined({ model, query, documents: documentTexts(fields), top_n, instruct });
    // Pictures and films among the documents are objects, which only one of its models reads.
    const isSeeing = textOf(model).includes("-vl-");
    const documents = isSeeing ? fields["documents"] : documentTexts(fields);
    return { model, input: { query, documents }, parameters: defined({ top_n, return_documents, instruct }) };
  },
  decodeAnswer(answer, { fields }) {
    const results = answer["results"] ?? objectOf(answer["output"])["results"];
    if (!Array.isArray(results)) return undefined;
    const { usage } = answer;
    const counted = isObject(usage) ? { usage } : {};
    return { model: fields["model"], results: rankedResults(results, fields), ...counted };
  },
};

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = { images, rerank };
