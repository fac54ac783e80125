/** SiliconFlow's pictures, under names of its own (docs.siliconflow.cn/cn/api-reference/images/images-generations). */
import { defined, listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import {
  atMostPictures,
  inOnePiece,
  pictureAnswer,
  wantedPictures,
  wantedSize,
  warnOfSettings,
} from "../../dialects/openai-chat/operations/images.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import type { Operation } from "../provider.ts";

const OTHERS = ["quality", "style", "user", "background", "output_format", "output_compression", "moderation"];

/** The one that makes several at a time. */
const makesSeveral = (model: string): boolean => model.endsWith("/Kolors");

const images: VendorOperation = {
  givesAddresses: true,
  path: () => "/v1/images/generations",
  encodeRequest({ fields }, warn) {
    const isSeveral = makesSeveral(textOf(fields["model"]));
    inOnePiece(fields);
    atMostPictures(fields, isSeveral ? 4 : 1);
    warnOfSettings(fields, OTHERS, warn);
    const { model, prompt, negative_prompt, seed, num_inference_steps, guidance_scale, image } = fields;
    return defined({
      model,
      prompt,
      negative_prompt,
      image_size: wantedSize(fields),
      batch_size: isSeveral ? wantedPictures(fields) : undefined,
      seed,
      num_inference_steps,
      guidance_scale,
      image,
    });
  },
  decodeAnswer: (answer) => pictureAnswer(listOf(answer["images"]).map((picture) => textOf(objectOf(picture)["url"]))),
};

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = { images };
