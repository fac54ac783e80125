/** Ark's pictures: Seedream makes several as one set (volcengine.com/docs/82379/1541523). */
import { defined, isObject, listOf, textOf } from "../../dialects/json/fields.ts";
import { TranslationFault } from "../../dialects/neutral/neutral.ts";
import { wantedPictures, wantedSize, warnOfSettings } from "../../dialects/openai-chat/operations/images.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import type { Operation } from "../provider.ts";

const OTHERS = [
  "quality",
  "style",
  "user",
  "background",
  "output_compression",
  "moderation",
  // How many pictures come is the field that they are held and charged by.
  "sequential_image_generation",
  "sequential_image_generation_options",
];

const images: VendorOperation = {
  path: () => "/images/generations",
  encodeRequest({ fields }, warn) {
    if (fields["stream"] === true)
      throw new TranslationFault("stream", "The model behind this name sends its pictures in one piece.");
    warnOfSettings(fields, OTHERS, warn);
    const count = wantedPictures(fields);
    const { model, prompt, response_format, seed, guidance_scale, watermark, image, output_format } = fields;
    const asSet = { sequential_image_generation: "auto", sequential_image_generation_options: { max_images: count } };
    return defined({
      model,
      prompt,
      size: wantedSize(fields),
      response_format,
      seed,
      guidance_scale,
      watermark,
      image,
      output_format,
      ...(count > 1 ? asSet : {}),
    });
  },
  /** Pictures of a set that failed stand in it as errors. */
  decodeAnswer({ data, created, usage }) {
    const made = listOf(data)
      .filter(isObject)
      .filter(({ url, b64_json: bytes }) => textOf(url) !== "" || textOf(bytes) !== "");
    return made.length === 0 ? undefined : { ...defined({ created, usage }), data: made };
  },
};

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = { images };
