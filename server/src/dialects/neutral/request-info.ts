/** Counts that every dialect reads from a request alike; part of the hub. */
import { isAscii } from "node:buffer";
import type { JsonTop } from "./json-bytes.ts";

/** A whole number above 0, rounded up; undefined for everything else. */
export const positive = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 1 ? Math.ceil(value) : undefined;

/** Bytes above 127; counted only where there are any, which a native check finds out. */
function otherBytesOf(body: Buffer): number {
  if (isAscii(body)) return 0;
  let count = 0;
  for (const byte of body) if (byte > 127) count += 1;
  return count;
}

/** Bytes of words in a request and its media: estimates are made of these. */
export function wordBytes(body: Buffer, top: JsonTop): { asciiBytes: number; otherBytes: number; mediaParts: number } {
  const otherBytes = Math.min(top.stringBytes, otherBytesOf(body));
  return { asciiBytes: top.stringBytes - otherBytes, otherBytes, mediaParts: top.mediaParts };
}
