/** Building blocks of the vendors' checks: values by their kind, and refusals in OpenAI's wording. */
import type { VendorError } from "./vendor.ts";

export type Fields = Readonly<Record<string, unknown>>;
export type Found = VendorError | undefined;

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** A text that says something. */
export const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

export const refuse = (message: string, param: string | null = null, code: string | null = null): VendorError => ({
  status: 400,
  message,
  type: "invalid_request_error",
  code,
  param,
});
export const missing = (param: string): VendorError =>
  refuse(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
export const invalid = (param: string): VendorError => refuse(`Invalid value for '${param}'.`, param, "invalid_value");

/** The first refusal of a list's entries. */
export function each(list: readonly unknown[], check: (entry: unknown, index: number) => Found): Found {
  for (const [index, entry] of list.entries()) {
    const found = check(entry, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
