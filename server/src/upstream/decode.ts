/** Decoders of content encodings of upstream responses and client bodies, as a small push interface with back-pressure and a size limit. */
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import type { Transform } from "node:stream";

export interface DecoderSink {
  data(chunk: Buffer): void;
  ended(): void;
  failed(error: Error): void;
  /** True while the decoder wants no more input. */
  isBehind(isBehind: boolean): void;
}

export interface Decoder {
  write(chunk: Buffer): void;
  end(): void;
  /** Gives nothing until resume(): a few bytes may stand for a thousand times as many. */
  pause(): void;
  resume(): void;
  destroy(): void;
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

function createOf(encoding: string): (() => Transform) | undefined {
  const name = encoding.trim().toLowerCase();
  return Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
}

/** True where createDecoder knows the encoding. */
export const isKnownEncoding = (encoding: string): boolean => createOf(encoding) !== undefined;

/** A decoder for one encoding name; undefined for `identity` and unknown names, whose bytes pass as they are. */
export function createDecoder(encoding: string, sink: DecoderSink): Decoder | undefined {
  const create = createOf(encoding);
  if (create === undefined) return undefined;
  const stream = create();
  stream.on("data", (chunk: Buffer) => sink.data(chunk));
  stream.on("end", () => sink.ended());
  stream.on("error", (error: Error) => sink.failed(error));
  stream.on("drain", () => sink.isBehind(false));
  return {
    write: (chunk) => {
      if (!stream.write(chunk)) sink.isBehind(true);
    },
    end: () => stream.end(),
    pause: () => stream.pause(),
    resume: () => stream.resume(),
    destroy: () => stream.destroy(),
  };
}
