/** The interface of a vendor that the fake upstream plays: its refusals, and its answers, whole and as a stream. */
import type { Plan, SeenRequest } from "./plan.ts";

/** A refusal in a vendor's words; each vendor puts it into its own envelope. */
export interface VendorError {
  status: number;
  message: string;
  type: string;
  code: string | null;
  param: string | null;
}

/** What a plan says of its error; absent fields have the vendor's default. */
export interface PlannedError {
  status: number;
  message: string;
  type?: string | undefined;
  code?: string | number | null | undefined;
  param?: string | null | undefined;
}

export interface Vendor {
  /** `key` is the only one that is let in; undefined lets in every key. */
  refuseKey(seen: SeenRequest, key: string): VendorError | undefined;
  /** What the vendor would refuse in the request itself, or undefined where it takes it. */
  refuse(seen: SeenRequest): VendorError | undefined;
  isStream(seen: SeenRequest): boolean;
  /** Body of an answer that is not streamed. */
  whole(seen: SeenRequest, plan: Plan): string | Buffer;
  /** Type of that body; JSON where absent. */
  contentType?(seen: SeenRequest): string;
  /** Frames of a streamed answer, without `done`. */
  frames(seen: SeenRequest, plan: Plan): readonly string[];
  /** The mark of a whole stream, left out where a plan says `sendsDone: false`. */
  done(seen: SeenRequest, plan: Plan): string;
  /** Body of a failed answer, JSON text. */
  error(error: PlannedError): string;
  /** Body of the list of models, JSON text. */
  models(models: readonly string[]): string;
  /** Body of what is asked by GET and is no list of models; JSON text where there is no `contentType`. */
  page?(seen: SeenRequest): string | Buffer;
  /** text/event-stream where absent. */
  streamContentType?(seen: SeenRequest): string;
}

/** Tokens as this upstream counts them: a quarter of the characters. */
export const tokensOf = (text: string): number => Math.max(1, Math.ceil(text.length / 4));

export const DEFAULT_TEXT = "The quick brown fox jumps over the lazy dog.";

/** Splits a text into about `count` pieces that together are the text. */
export function splitText(text: string, count: number): string[] {
  if (count <= 1) return text === "" ? [] : [text];
  const characters = [...text];
  const size = Math.max(1, Math.ceil(characters.length / Math.max(1, count)));
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += size)
    pieces.push(characters.slice(start, start + size).join(""));
  return pieces;
}
