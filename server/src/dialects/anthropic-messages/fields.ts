/** Reads typed fields of an Anthropic request; a wrong type is a fault that names the field. */
import { isObject, ownOf } from "../json/fields.ts";
import type { CacheMark, JsonObject } from "../neutral/neutral.ts";
import { TranslationFault } from "../neutral/neutral.ts";

export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

export function needObject(value: unknown, param: string): JsonObject {
  if (!isObject(value)) throw new TranslationFault(param, `${param} must be an object`);
  return value;
}

export function needList(value: unknown, param: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new TranslationFault(param, `${param} must be a list`);
  return value;
}

export function needText(value: unknown, param: string): string {
  if (typeof value !== "string") throw new TranslationFault(param, `${param} must be a string`);
  return value;
}

/** A string that says something: ids and names. */
export function needName(value: unknown, param: string): string {
  const text = needText(value, param);
  if (text === "") throw new TranslationFault(param, `${param} must not be empty`);
  return text;
}

export function optionalText(value: unknown, param: string): string | undefined {
  return isAbsent(value) ? undefined : needText(value, param);
}

export function optionalNumber(value: unknown, param: string): number | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== "number" || !Number.isFinite(value))
    throw new TranslationFault(param, `${param} must be a number`);
  return value;
}

export function optionalBoolean(value: unknown, param: string): boolean | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== "boolean") throw new TranslationFault(param, `${param} must be true or false`);
  return value;
}

export const optionalObject = (value: unknown, param: string): JsonObject | undefined =>
  isAbsent(value) ? undefined : needObject(value, param);

export function optionalTexts(value: unknown, param: string): readonly string[] | undefined {
  if (isAbsent(value)) return undefined;
  return needList(value, param).map((entry, index) => needText(entry, `${param}[${index}]`));
}

const TTL_SECONDS: Readonly<Record<string, number>> = { "5m": 300, "1h": 3600 };

/** `cache_control` of a block or tool as a field to spread (platform.claude.com/docs/en/build-with-claude/prompt-caching). */
export function cacheOf(block: JsonObject, param: string): { cache?: CacheMark } {
  const control = optionalObject(block["cache_control"], `${param}.cache_control`);
  if (control === undefined) return {};
  const ttl = optionalText(control["ttl"], `${param}.cache_control.ttl`) ?? "5m";
  const ttlSeconds = ownOf(TTL_SECONDS, ttl);
  if (ttlSeconds === undefined)
    throw new TranslationFault(`${param}.cache_control.ttl`, `${param}.cache_control.ttl must be "5m" or "1h"`);
  return { cache: { ttlSeconds } };
}

/** The way back; five minutes is what the vendor takes where nothing is said. */
export const cacheControl = (cache: CacheMark | undefined): JsonObject =>
  cache === undefined
    ? {}
    : { cache_control: cache.ttlSeconds > 300 ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" } };
