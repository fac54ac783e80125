/** The kinds of environment variables: a schema for each, with the default and the meaning that the documentation prints. */
import { isIP } from "node:net";
import { z } from "zod";

export const described = <Schema extends z.ZodType>(schema: Schema, fallback: string, meaning: string): Schema =>
  schema.meta({ fallback, description: meaning });

const isWithin = (minimum: number, maximum: number) => (text: string) =>
  /^\d{1,15}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;

/** A whole number within bounds; `fallback` is the text used when the variable is unset. */
export function whole(minimum: number, maximum: number, fallback: string, meaning: string) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return described(
    z.string().refine(isWithin(minimum, maximum), message).transform(Number).prefault(fallback),
    fallback,
    meaning,
  );
}

/** A whole number, or the word, which is read as undefined. */
export function wholeOr(word: string, minimum: number, maximum: number, fallback: string, meaning: string) {
  const message = `must be ${word} or a whole number from ${minimum} to ${maximum}`;
  const isInside = isWithin(minimum, maximum);
  const schema = z.string().refine((text) => text === word || isInside(text), message);
  const read = (text: string): number | undefined => (text === word ? undefined : Number(text));
  return described(schema.transform(read).prefault(fallback), fallback, meaning);
}

export function optionalWhole(minimum: number, maximum: number, meaning: string) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return described(z.string().refine(isWithin(minimum, maximum), message).transform(Number).optional(), "", meaning);
}

export function flag(fallback: "true" | "false", meaning: string) {
  const schema = z.enum(["true", "false", "1", "0"], "must be true or false");
  return described(schema.transform((text) => text === "true" || text === "1").prefault(fallback), fallback, meaning);
}

export function optionalFlag(meaning: string) {
  const schema = z.enum(["1", "0"], "must be 1 or 0, or unset");
  return described(schema.transform((text) => text === "1").optional(), "", meaning);
}

export function optionalUrl(schemes: readonly string[], meaning: string) {
  const isAccepted = (text: string) => URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1));
  const message = `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`;
  return described(z.string().refine(isAccepted, message).optional(), "", meaning);
}

/** True for an address or a CIDR range of version 4 or 6. */
function isRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

export function rangeList(meaning: string) {
  const split = (text: string) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  const schema = z
    .string()
    .refine((text) => split(text).every(isRange), "must be addresses or CIDR ranges with commas between them");
  return described(schema.transform(split).prefault(""), "", meaning);
}

const SHORTEST_KEY = 32;

/** Earlier secret keys; in a file each may have a line of its own. */
export function keyList(meaning: string) {
  const split = (text: string) => text.split(/[,\r\n]+/).filter((part) => part !== "");
  const areKeys = (text: string) => split(text).every((key) => key.length >= SHORTEST_KEY);
  const message = `must be keys of at least ${SHORTEST_KEY} characters with commas between them`;
  return described(z.string().refine(areKeys, message).transform(split).prefault(""), "", meaning);
}

/** A secret that travels in a header or an address: long enough not to be guessed. */
export function optionalSecret(minimum: number, meaning: string) {
  const message = `must be ${minimum} to 128 letters, digits or any of - . _ ~`;
  const pattern = new RegExp(`^[\\w.~-]{${minimum},128}$`);
  return described(z.string().regex(pattern, message).optional(), "", meaning);
}
