/**
 * Hunyuan's vectors and pictures for a key that signs (cloud.tencent.com/document/product/1729/102832, /105969, /105970, /108738); an API key has OpenAI's
 * paths.
 */
import { defined, listOf, numberOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import { nearestInRatio, sizeText } from "../../dialects/neutral/image-sizes.ts";
import type { JsonObject, Warn } from "../../dialects/neutral/neutral.ts";
import { textsOf, vectorsAnswer, warnOfTask } from "../../dialects/openai-chat/operations/embeddings.ts";
import {
  atMostPictures,
  inOnePiece,
  pictureAnswer,
  wantedPictures,
  wantedPixels,
  warnOfSettings,
} from "../../dialects/openai-chat/operations/images.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import { keyParts } from "../key-parts.ts";
import { isLite } from "./models.ts";
import type { Operation } from "../provider.ts";

const isFor = (key: string): boolean => keyParts(key).length > 1;

const MAX_INPUTS = 200;

const embeddings: VendorOperation = {
  isFor,
  path: () => "/",
  encodeRequest: ({ fields }, warn) => {
    for (const name of ["dimensions", "user"])
      if (fields[name] !== undefined && fields[name] !== null) warn(name, "this model has no such parameter");
    warnOfTask(fields, warn);
    return { InputList: textsOf(fields, MAX_INPUTS) };
  },
  decodeAnswer: (answer, { fields }) => {
    const { Data, Usage } = objectOf(answer["Response"]);
    if (!Array.isArray(Data)) return undefined;
    const vectors = listOf(Data).map((entry) => objectOf(entry)["Embedding"]);
    const { PromptTokens, TotalTokens } = objectOf(Usage);
    return vectorsAnswer(vectors, fields, numberOf(PromptTokens) ?? numberOf(TotalTokens) ?? 0);
  },
};

/** The sizes it draws, the square first. */
const SIZES = [
  [1024, 1024],
  [768, 768],
  [768, 1024],
  [1024, 768],
  [720, 1280],
  [1280, 720],
  [768, 1280],
  [1280, 768],
].map(([width = 0, height = 0]) => ({ width, height }));

function resolution(fields: JsonObject, warn: Warn): string | undefined {
  const size = wantedPixels(fields);
  if (size === undefined) return undefined;
  const same = SIZES.find(({ width, height }) => width === size.width && height === size.height);
  const drawn = same ?? nearestInRatio(SIZES, size);
  if (same === undefined) warn("size", `the model draws ${sizeText(drawn)} in place of ${sizeText(size)}`);
  return `${drawn.width}:${drawn.height}`;
}

const NOT_TAKEN = ["quality", "user", "background", "output_format", "output_compression", "moderation"];

/** Words that OpenAI's models know; the vendor's own styles are numbers and other words. */
const OPENAI_STYLES: ReadonlySet<unknown> = new Set(["vivid", "natural"]);

const wantsBytes = (fields: JsonObject): boolean => fields["response_format"] === "b64_json";

/** Only the one that draws at once can be told how its picture is to come, and only the other makes several. */
function ownFields(fields: JsonObject): JsonObject {
  if (isLite(textOf(fields["model"]))) return { RspImgType: wantsBytes(fields) ? "base64" : "url" };
  return { Num: wantedPictures(fields), Revise: fields["revise"], Seed: fields["seed"] };
}

const images: VendorOperation = {
  isFor,
  givesAddresses: true,
  path: () => "/",
  encodeRequest: ({ fields }, warn) => {
    inOnePiece(fields);
    atMostPictures(fields, isLite(textOf(fields["model"])) ? 1 : 4);
    const style = OPENAI_STYLES.has(fields["style"]) ? undefined : fields["style"];
    warnOfSettings(fields, style === undefined ? [...NOT_TAKEN, "style"] : NOT_TAKEN, warn);
    return defined({
      Prompt: fields["prompt"],
      NegativePrompt: fields["negative_prompt"],
      Style: style,
      Resolution: resolution(fields, warn),
      LogoAdd: fields["logo_add"],
      ...ownFields(fields),
    });
  },
  decodeAnswer: (answer, { fields }) => {
    const { ResultImage: result } = objectOf(answer["Response"]);
    if (Array.isArray(result)) return pictureAnswer(result.map(textOf));
    const picture = textOf(result);
    return picture !== "" && wantsBytes(fields) ? { data: [{ b64_json: picture }] } : pictureAnswer([picture]);
  },
  polling: {
    next(answer, first) {
      const { JobId } = objectOf(first["Response"]);
      const { JobStatusCode } = objectOf(answer["Response"]);
      const isUnderWay = answer === first || JobStatusCode === "1" || JobStatusCode === "2";
      if (typeof JobId !== "string" || !isUnderWay) return undefined;
      return { headers: { "x-tc-action": "QueryHunyuanImageJob" }, body: { JobId } };
    },
    everyMs: 1_000,
    limitMs: 300_000,
  },
};

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = { embeddings, images };
