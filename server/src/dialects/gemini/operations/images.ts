/** Imagen's images through Google's predict call, for clients and upstreams (ai.google.dev/gemini-api/docs/imagen). */
import { type PictureSize, drawnSize, nearestInRatio, sizeText } from "../../neutral/image-sizes.ts";
import { isObject, listOf, objectOf, textOf, unknownNames } from "../../json/fields.ts";
import { type JsonObject, TranslationFault } from "../../neutral/neutral.ts";
import type { ImagesReader, NeutralImages, NeutralPictures } from "../../neutral/images.ts";
import type { OperationCodec } from "../../neutral/operation-codec.ts";
import { neededTextAt, numberAt, objectAt, objectsAt, textAt } from "../fields.ts";

interface Ratio extends PictureSize {
  name: string;
  /** How much longer the sides are at 2K. */
  largerAt2K: number;
}

/** The vendor's ratios with a size of about 1K that has exactly this ratio, in sixteens, as models take it that draw any size. */
const RATIOS: readonly Ratio[] = [
  { name: "1:1", width: 1024, height: 1024, largerAt2K: 2 },
  { name: "3:4", width: 864, height: 1152, largerAt2K: 2 },
  { name: "4:3", width: 1152, height: 864, largerAt2K: 2 },
  { name: "9:16", width: 864, height: 1536, largerAt2K: 5 / 3 },
  { name: "16:9", width: 1536, height: 864, largerAt2K: 5 / 3 },
];
const SIZES = ["1K", "2K"];

const MAX_PICTURES = 4;
/** Default number of images. */
const PICTURES = 4;

function encodeRequest({ prompt, count, size }: NeutralImages): JsonObject {
  if (count > MAX_PICTURES)
    throw new TranslationFault("n", `The model behind this name makes at most ${MAX_PICTURES} pictures at a time.`);
  const aspectRatio = size === undefined ? {} : { aspectRatio: nearestInRatio(RATIOS, size).name };
  return { instances: [{ prompt }], parameters: { sampleCount: count, ...aspectRatio } };
}

/** Pictures that a filter took out have a reason and no bytes. */
function decodeAnswer({ predictions }: JsonObject): NeutralPictures | undefined {
  if (!Array.isArray(predictions)) return undefined;
  const pictures = listOf(predictions)
    .filter(isObject)
    .flatMap((prediction) => {
      const data = textOf(objectOf(prediction)["bytesBase64Encoded"]);
      const revisedPrompt = textOf(prediction["prompt"]);
      const mimeType = textOf(prediction["mimeType"]) || "image/png";
      return data === "" ? [] : [{ mimeType, data, ...(revisedPrompt === "" ? {} : { revisedPrompt }) }];
    });
  return { pictures, rawUsage: undefined };
}

const TOP = new Set(["instances", "parameters"]);
const READ = new Set(["sampleCount", "aspectRatio", "sampleImageSize", "imageSize", "outputOptions"]);
const READ_OUTPUT = new Set(["mimeType", "compressionQuality"]);

/** Parameters without which another picture, or none, would come: what not to draw, work on a given picture, a place to put it. */
const NEEDED_THERE = ["negativePrompt", "storageUri", "mode", "editMode", "editConfig", "upscaleConfig"];

function refuseNeeded(parameters: JsonObject): void {
  const needed = NEEDED_THERE.find((name) => (parameters[name] ?? undefined) !== undefined);
  const isWithoutPeople = /^dont_allow$/i.test(textOf(parameters["personGeneration"]));
  const name = needed ?? (isWithoutPeople ? "personGeneration" : undefined);
  if (name === undefined) return;
  const path = `parameters.${name}`;
  throw new TranslationFault(path, `The model behind this name has nothing like ${path}.`);
}

/** The prompt of the only instance: other models take one prompt a request, and text alone. */
function promptOf(fields: JsonObject): string {
  const [instance, second] = objectsAt(fields["instances"], "instances");
  if (instance === undefined) throw new TranslationFault("instances", "instances is empty.");
  if (second !== undefined)
    throw new TranslationFault("instances[1]", "The model behind this name takes one instance at a time.");
  const [foreign] = unknownNames(instance, new Set(["prompt"]));
  if (foreign !== undefined)
    throw new TranslationFault(`instances[0].${foreign}`, "The model behind this name draws from a prompt alone.");
  return neededTextAt(instance["prompt"], "instances[0].prompt");
}

function countOf(parameters: JsonObject): number {
  const path = "parameters.sampleCount";
  const count = numberAt(parameters["sampleCount"], path) ?? PICTURES;
  if (Number.isInteger(count) && count >= 1) return count;
  throw new TranslationFault(path, `${path} must be a whole number above 0.`);
}

/** One of the values, case-insensitive; undefined if absent. Throws TranslationFault. */
function oneOf(values: readonly string[], value: unknown, path: string): string | undefined {
  const word = textAt(value, path)?.toUpperCase();
  if (word === undefined || values.includes(word)) return word;
  throw new TranslationFault(path, `${path} must be one of ${values.join(", ")}.`);
}

/** In pixels; undefined where the request says nothing of it. Throws TranslationFault. */
function sizeOf(parameters: JsonObject): PictureSize | undefined {
  const { aspectRatio, sampleImageSize, imageSize } = parameters;
  const names = RATIOS.map(({ name }) => name);
  const name = oneOf(names, aspectRatio, "parameters.aspectRatio");
  const longest = oneOf(SIZES, sampleImageSize ?? imageSize, "parameters.sampleImageSize");
  if (name === undefined && longest === undefined) return undefined;
  const { width, height, largerAt2K } = RATIOS[name === undefined ? 0 : names.indexOf(name)] as Ratio;
  const times = longest === "2K" ? largerAt2K : 1;
  return { width: Math.round(width * times), height: Math.round(height * times) };
}

function outputOf(options: JsonObject): Pick<NeutralImages, "format" | "compression"> {
  const path = "parameters.outputOptions";
  const mimeType = textAt(options["mimeType"], `${path}.mimeType`);
  const compression = numberAt(options["compressionQuality"], `${path}.compressionQuality`);
  const format = mimeType === undefined ? undefined : /^image\/([a-z]+)$/.exec(mimeType)?.[1];
  if (mimeType !== undefined && format === undefined)
    throw new TranslationFault(`${path}.mimeType`, `${path}.mimeType must be like "image/png".`);
  return { ...(format === undefined ? {} : { format }), ...(compression === undefined ? {} : { compression }) };
}

function decodeRequest(fields: JsonObject, { model }: { model: string }): NeutralImages {
  const prompt = promptOf(fields);
  const parameters = objectAt(fields["parameters"], "parameters") ?? {};
  refuseNeeded(parameters);
  const options = objectAt(parameters["outputOptions"], "parameters.outputOptions") ?? {};
  const size = sizeOf(parameters);
  return {
    model,
    prompt,
    count: countOf(parameters),
    ...(size === undefined ? {} : { size }),
    ...outputOf(options),
    wantsUrl: false,
    unknownFields: [
      ...unknownNames(fields, TOP),
      ...unknownNames(parameters, READ).map((name) => `parameters.${name}`),
      ...unknownNames(options, READ_OUTPUT).map((name) => `parameters.outputOptions.${name}`),
    ],
  };
}

function encodeAnswer({ pictures }: NeutralPictures): JsonObject {
  const predictions = pictures.map(({ mimeType, data, revisedPrompt }) => ({
    mimeType,
    bytesBase64Encoded: data,
    ...(revisedPrompt === undefined ? {} : { prompt: revisedPrompt }),
  }));
  return { predictions };
}

export const geminiImages: OperationCodec<NeutralImages, NeutralPictures> = {
  client: {
    decodeRequest,
    encodeAnswer,
    fieldNames: {
      prompt: "instances[0].prompt",
      n: "parameters.sampleCount",
      size: "parameters.aspectRatio",
      output_format: "parameters.outputOptions.mimeType",
      output_compression: "parameters.outputOptions.compressionQuality",
    },
  },
  upstream: { path: (model) => `/v1beta/models/${encodeURIComponent(model)}:predict`, encodeRequest, decodeAnswer },
};

/** The size that is priced; undefined if malformed, which the upstream will refuse. */
function pricedSize(parameters: JsonObject, model: string): string | undefined {
  try {
    const size = sizeOf(parameters);
    return size === undefined ? undefined : sizeText(drawnSize(model, size));
  } catch (fault) {
    if (fault instanceof TranslationFault) return undefined;
    throw fault;
  }
}

export const geminiImagesReader: ImagesReader = {
  read(field, model) {
    const parameters = objectOf(field("parameters"));
    const each = parameters["sampleCount"] ?? PICTURES;
    const instances = Math.max(1, listOf(field("instances")).length);
    const count = typeof each === "number" ? each * instances : Number.NaN;
    return { count, size: pricedSize(parameters, model), quality: undefined };
  },
  countField: "parameters.sampleCount",
  came: (answer) => decodeAnswer(answer)?.pictures.length ?? 0,
};
