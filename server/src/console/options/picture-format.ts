/** The format of an uploaded picture, by its own bytes: PNG or WebP with its size in pixels, whatever its name or the browser says. Pure. */

export interface PictureFormat {
  ending: "png" | "webp";
  mediaType: "image/png" | "image/webp";
  width: number;
  height: number;
}

const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52]);
const PNG_END = Buffer.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);
/** Up to the end of its first chunk. */
const PNG_LEAST = 33 + PNG_END.length;
const WEBP_LEAST = 30;

type Size = readonly [width: number, height: number];

/** RFC 9649: the lossy, the lossless and the extended form say their size in three ways. */
const WEBP_SIZES: Readonly<Record<string, (bytes: Buffer) => Size>> = {
  "VP8 ": (bytes) => [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff],
  VP8L: (bytes) => {
    const packed = bytes.readUInt32LE(21);
    return [(packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1];
  },
  VP8X: (bytes) => [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1],
};

function pngSize(bytes: Buffer): Size | undefined {
  const isPng = bytes.length >= PNG_LEAST && bytes.subarray(0, PNG_START.length).equals(PNG_START);
  // Nothing stands behind the picture.
  if (!isPng || !bytes.subarray(-PNG_END.length).equals(PNG_END)) return undefined;
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < WEBP_LEAST || bytes.toString("latin1", 0, 4) !== "RIFF") return undefined;
  if (bytes.toString("latin1", 8, 12) !== "WEBP" || bytes.readUInt32LE(4) !== bytes.length - 8) return undefined;
  const form = bytes.toString("latin1", 12, 16);
  return Object.hasOwn(WEBP_SIZES, form) ? WEBP_SIZES[form]?.(bytes) : undefined;
}

/** Undefined for anything else, also for a picture that is cut off or has something behind its end. */
export function pictureFormat(bytes: Buffer): PictureFormat | undefined {
  const png = pngSize(bytes);
  const [width = 0, height = 0] = png ?? webpSize(bytes) ?? [];
  if (width === 0 || height === 0) return undefined;
  return png === undefined
    ? { ending: "webp", mediaType: "image/webp", width, height }
    : { ending: "png", mediaType: "image/png", width, height };
}
