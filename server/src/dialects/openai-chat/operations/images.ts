/** OpenAI's image generations, for clients and upstreams (platform.openai.com/docs/api-reference/images/create). */
import { type PictureSize, drawnSize, sizeText } from "../../neutral/image-sizes.ts";
import { isObject, listOf, numberOf, objectOf, textOf, unknownNames } from "../../json/fields.ts";
import { type JsonObject, TranslationFault, type Warn } from "../../neutral/neutral.ts";
import type { NeutralImages, NeutralPictures } from "../../neutral/images.ts";
import type { OperationCodec } from "../../neutral/operation-codec.ts";

const READ: ReadonlySet<string> = new Set(["model", "prompt", "n", "size", "response_format"]);

function sizeOf(size: unknown): NeutralImages["size"] {
  if (size === undefined || size === null || size === "auto") return undefined;
  const found = typeof size === "string" ? /^(\d{2,5})x(\d{2,5})$/.exec(size) : null;
  if (found === null) throw new TranslationFault("size", 'size must be like "1024x1024", or "auto".');
  return { width: Number(found[1]), height: Number(found[2]) };
}

function decodeRequest(fields: JsonObject): NeutralImages {
  const { prompt, n, size } = fields;
  if (typeof prompt !== "string" || prompt === "") throw new TranslationFault("prompt", "prompt must be a text.");
  inOnePiece(fields);
  const count = n === undefined || n === null ? 1 : numberOf(n);
  if (count === undefined || !Number.isInteger(count) || count < 1)
    throw new TranslationFault("n", "n must be a whole number above 0.");
  const read = sizeOf(size);
  return {
    model: typeof fields["model"] === "string" ? fields["model"] : "",
    prompt,
    count,
    ...(read === undefined ? {} : { size: read }),
    wantsUrl: fields["response_format"] === "url",
    unknownFields: unknownNames(fields, READ).filter((name) => name !== "stream"),
  };
}

/** They always answer in bytes, and refuse the field that asks for it; they alone let the file's format be chosen. */
const isGptImage = (model: string): boolean => /^(?:gpt-image|chatgpt-image)/.test(model);

const COMPRESSED: ReadonlySet<string | undefined> = new Set(["jpeg", "webp"]);

/** How the picture is to come: as bytes, for it may stand at an address else. */
function fileFields({ model, format, compression }: NeutralImages, warn: Warn): JsonObject {
  const isChosen = isGptImage(model);
  const isCompressed = isChosen && COMPRESSED.has(format);
  if (!isChosen && format !== undefined) warn("output_format", "the model chooses the format of its files itself");
  if (!isCompressed && compression !== undefined) warn("output_compression", "only jpeg and webp files are compressed");
  return {
    ...(isChosen ? {} : { response_format: "b64_json" }),
    ...(isChosen && format !== undefined ? { output_format: format } : {}),
    ...(isCompressed && compression !== undefined ? { output_compression: compression } : {}),
  };
}

function sizeFields({ model, size }: NeutralImages, warn: Warn): JsonObject {
  if (size === undefined) return {};
  const drawn = sizeText(drawnSize(model, size));
  if (drawn !== sizeText(size)) warn("size", `the model draws ${drawn} in place of ${sizeText(size)}`);
  return { size: drawn };
}

function encodeRequest(request: NeutralImages, warn: Warn): JsonObject {
  const { model, prompt, count } = request;
  if (count > 1 && model.startsWith("dall-e-3"))
    throw new TranslationFault("n", "The model behind this name makes one picture at a time.");
  return { model, prompt, n: count, ...sizeFields(request, warn), ...fileFields(request, warn) };
}

/** Media types by how their files begin in base64; servers of this format do not say what they send. */
const FILE_STARTS: readonly (readonly [start: string, mimeType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["UklGR", "image/webp"],
  ["R0lGOD", "image/gif"],
];
const DATA_URL = /^data:([\w/+.-]+);base64,/;

/** A picture with its bytes; none where only an address of it came. */
function pictureOf(entry: JsonObject, format: string): NeutralPictures["pictures"] {
  const url = textOf(entry["url"]);
  const [head = "", named] = DATA_URL.exec(url) ?? [];
  const data = textOf(entry["b64_json"]) || (head === "" ? "" : url.slice(head.length));
  const mimeType = named ?? FILE_STARTS.find(([start]) => data.startsWith(start))?.[1] ?? `image/${format || "png"}`;
  const revisedPrompt = textOf(entry["revised_prompt"]);
  return data === "" ? [] : [{ mimeType, data, ...(revisedPrompt === "" ? {} : { revisedPrompt }) }];
}

/** Pictures of which only the addresses came are no answer: nothing can be made of them here. */
function decodeAnswer({ data, usage, output_format: format }: JsonObject): NeutralPictures | undefined {
  if (!Array.isArray(data)) return undefined;
  const pictures = data.filter(isObject).flatMap((entry) => pictureOf(entry, textOf(format)));
  return pictures.length === 0 && data.length > 0 ? undefined : { pictures, rawUsage: usage };
}

/** How many pictures OpenAI's request asks for. */
export const wantedPictures = ({ n }: JsonObject): number => numberOf(n) ?? 1;

/** Throws TranslationFault where more pictures are asked for than the vendor makes at a time. */
export function atMostPictures(fields: JsonObject, most: number): void {
  if (wantedPictures(fields) <= most) return;
  throw new TranslationFault("n", `The model behind this name makes up to ${most} at a time.`);
}

/** Throws TranslationFault where a client wants its pictures as they become clearer. */
export function inOnePiece({ stream }: JsonObject): void {
  if (stream === true)
    throw new TranslationFault("stream", "The model behind this name sends its pictures in one piece.");
}

/** The size as the client wrote it; undefined where the vendor may choose. */
export const wantedSize = ({ size }: JsonObject): string | undefined => textOf(size).replace(/^auto$/, "") || undefined;

/** The same in pixels. Throws TranslationFault for a size in another form. */
export const wantedPixels = ({ size }: JsonObject): PictureSize | undefined => sizeOf(size);

/** Those of OpenAI's settings that the client sent and a vendor does not support. */
export function warnOfSettings(fields: JsonObject, names: readonly string[], warn: Warn): void {
  for (const name of names)
    if (fields[name] !== undefined && fields[name] !== null) warn(name, "the vendor has no such setting");
}

/** OpenAI's answer with the pictures at these addresses; undefined where there are none. */
export function pictureAnswer(urls: readonly string[], more: JsonObject = {}): JsonObject | undefined {
  const found = urls.filter((url) => url !== "");
  return found.length === 0 ? undefined : { data: found.map((url) => ({ url })), ...more };
}

/** The addresses of an answer's pictures. */
export const pictureAddresses = ({ data }: JsonObject): readonly string[] =>
  listOf(data)
    .map((entry) => textOf(objectOf(entry)["url"]))
    .filter((url) => url !== "");

/** The answer with the bytes of pictures in place of their addresses, from `data:` URIs by address; one that is not there keeps its own. */
export const withPictureBytes = (answer: JsonObject, found: ReadonlyMap<string, string>): JsonObject => ({
  ...answer,
  data: listOf(answer["data"]).map((entry) => {
    const { url, ...rest } = objectOf(entry);
    const uri = found.get(textOf(url));
    return uri === undefined ? entry : { ...rest, b64_json: uri.slice(uri.indexOf(",") + 1) };
  }),
});

export const openAiImages: OperationCodec<NeutralImages, NeutralPictures> = {
  client: {
    decodeRequest,
    /** Where an address is wanted the picture itself is in it: nothing is stored here. */
    encodeAnswer({ pictures }, { wantsUrl }, _usage, { createdAt }) {
      const data = pictures.map(({ mimeType, data: bytes, revisedPrompt }) => ({
        ...(wantsUrl ? { url: `data:${mimeType};base64,${bytes}` } : { b64_json: bytes }),
        ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
      }));
      return { created: createdAt, data };
    },
  },
  upstream: { path: () => "/v1/images/generations", encodeRequest, decodeAnswer },
};
