/** Zhipu's pictures, which are OpenAI's with fewer settings (docs.bigmodel.cn/api-reference, docs.z.ai/api-reference/image/generate-image). */
import { defined, listOf, objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import {
  atMostPictures,
  inOnePiece,
  pictureAnswer,
  wantedSize,
  warnOfSettings,
} from "../../dialects/openai-chat/operations/images.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import type { Operation } from "../provider.ts";

/** Its two qualities, in the words of all OpenAI's models. */
const QUALITIES: Readonly<Record<string, string>> = {
  standard: "standard",
  low: "standard",
  medium: "standard",
  hd: "hd",
  high: "hd",
};

const images: VendorOperation = {
  givesAddresses: true,
  path: () => "/images/generations",
  encodeRequest({ fields }, warn) {
    inOnePiece(fields);
    atMostPictures(fields, 1);
    warnOfSettings(fields, ["style", "background", "output_format", "output_compression", "moderation"], warn);
    const { model, prompt, quality, user, watermark_enabled } = fields;
    const own = ownOf(QUALITIES, textOf(quality));
    return defined({ model, prompt, quality: own, size: wantedSize(fields), user_id: user, watermark_enabled });
  },
  decodeAnswer: ({ data, created }) =>
    pictureAnswer(
      listOf(data).map((picture) => textOf(objectOf(picture)["url"])),
      defined({ created }),
    ),
};

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = { images };
