/** What a file is by its first bytes: the vendors judge by these, and a server's header may say anything. */

interface Signature {
  mimeType: string;
  /** Position and bytes, as Latin-1; every pair has to fit. */
  marks: readonly (readonly [offset: number, bytes: string])[];
}

/** Magic numbers as the formats' own specifications give them (listed in mimesniff.spec.whatwg.org, section 6). */
const SIGNATURES: readonly Signature[] = [
  { mimeType: "image/png", marks: [[0, "\x89PNG\r\n\x1a\n"]] },
  { mimeType: "image/jpeg", marks: [[0, "\xff\xd8\xff"]] },
  { mimeType: "image/gif", marks: [[0, "GIF8"]] },
  {
    mimeType: "image/webp",
    marks: [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
  },
  { mimeType: "image/bmp", marks: [[0, "BM"]] },
  { mimeType: "image/tiff", marks: [[0, "II*\0"]] },
  { mimeType: "image/tiff", marks: [[0, "MM\0*"]] },
  { mimeType: "image/heic", marks: [[4, "ftyphei"]] },
  { mimeType: "image/heic", marks: [[4, "ftyphev"]] },
  { mimeType: "image/heif", marks: [[4, "ftypmif1"]] },
  { mimeType: "image/avif", marks: [[4, "ftypavif"]] },
  { mimeType: "application/pdf", marks: [[0, "%PDF-"]] },
  {
    mimeType: "audio/wav",
    marks: [
      [0, "RIFF"],
      [8, "WAVE"],
    ],
  },
  { mimeType: "audio/mpeg", marks: [[0, "ID3"]] },
  { mimeType: "audio/mpeg", marks: [[0, "\xff\xfb"]] },
  { mimeType: "audio/mpeg", marks: [[0, "\xff\xf3"]] },
  { mimeType: "audio/flac", marks: [[0, "fLaC"]] },
  { mimeType: "audio/ogg", marks: [[0, "OggS"]] },
  { mimeType: "audio/mp4", marks: [[4, "ftypM4A"]] },
  { mimeType: "video/quicktime", marks: [[4, "ftypqt"]] },
  { mimeType: "video/mp4", marks: [[4, "ftyp"]] },
  { mimeType: "video/webm", marks: [[0, "\x1aE\xdf\xa3"]] },
];

const LONGEST = 16;

/** Type by the first bytes; undefined where they are of no known kind. */
function sniffMediaType(body: Buffer): string | undefined {
  const start = body.toString("latin1", 0, LONGEST);
  return SIGNATURES.find(({ marks }) => marks.every(([offset, bytes]) => start.startsWith(bytes, offset)))?.mimeType;
}

/** Types without a signature that a header may name: words, which a model reads. */
const TEXT_TYPE = /^(?:text\/(?!html)[\w.+-]+|application\/(?:json|xml|x-ndjson|yaml|x-yaml))$/;

const isText = (body: Buffer): boolean => {
  if (body.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(body);
    return true;
  } catch {
    return false;
  }
};

/**
 * Type of a fetched file: by its bytes; words by the header, if they are words. Undefined for everything else, so that a page that
 * says "not found" is never passed on as a picture.
 */
export function mediaTypeOf(body: Buffer, contentType: string): string | undefined {
  const sniffed = sniffMediaType(body);
  if (sniffed !== undefined) return sniffed;
  const named = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  return TEXT_TYPE.test(named) && isText(body) ? named : undefined;
}
