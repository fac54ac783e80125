/** Image generation in the one shape that dialects with such a call decode to and encode from; part of the hub. */
import type { PictureSize } from "./image-sizes.ts";
import type { JsonObject } from "./neutral.ts";

export interface NeutralImages {
  /** The name the upstream knows. */
  model: string;
  prompt: string;
  /** Pictures asked for. */
  count: number;
  /** Undefined for the vendor's default. */
  size?: PictureSize;
  /** File format as in a media type: png, jpeg; undefined for the vendor's default. */
  format?: string;
  /** Quality of a compressed file, 0 to 100. */
  compression?: number;
  /** The client wants an address instead of the picture's bytes. */
  wantsUrl: boolean;
  /** Names of fields of the client's request that have no place here; each becomes a warning. */
  unknownFields: readonly string[];
}

export interface NeutralPictures {
  pictures: readonly { mimeType: string; data: string; revisedPrompt?: string }[];
  /** As the upstream wrote it; undefined where it sent none. */
  rawUsage: unknown;
}

/** What pictures are held and priced by. */
export interface ImagesInfo {
  /** NaN where it is no number. */
  count: number;
  /** As "1024x1024". */
  size: string | undefined;
  quality: string | undefined;
}

/** What the relay reads of calls whose bytes go on as they are, in a format that says it otherwise than OpenAI. */
export interface ImagesReader {
  /** `field` gives the parsed value of a top-level field; `model` is the one that is priced. */
  read(field: (name: string) => unknown, model: string): ImagesInfo;
  /** The path of the field that says how many. */
  countField: string;
  /** Pictures in an answer. */
  came(answer: JsonObject): number;
}
