/** HTTP client for sign-in providers: JSON responses under the address policy, and errors that reveal no address to visitors. */
import { createHash } from "node:crypto";
import { AppError } from "../../../../../contract/src/errors.ts";
import type { GuardedRequest } from "../../relay-tools.ts";
import type { ProviderContext } from "./provider.ts";

export type Json = Readonly<Record<string, unknown>>;

/** The answer's JSON object. Throws AppError identity_unreachable, or identity_failed for a refusal or what is no JSON object. */
export async function askJson(context: ProviderContext, request: GuardedRequest): Promise<Json> {
  const answer = await context.relay.fetchGuarded(request).catch((error: unknown) => {
    // The reason names addresses: it is the operator's.
    context.logger.warn({ err: error, host: URL.parse(request.url)?.host }, "a sign-in provider was not reached");
    throw new AppError("identity_unreachable", { cause: error });
  });
  if (answer.status >= 500) throw new AppError("identity_unreachable");
  if (answer.status < 200 || answer.status > 299) throw new AppError("identity_failed");
  return parsed(answer.body);
}

function parsed(body: string): Json {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  } catch (error) {
    throw new AppError("identity_failed", { cause: error });
  }
  throw new AppError("identity_failed");
}

/** The text of a field; "" where it is none. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A whole number above 0 as text; "" where it is none. */
export const idOf = (value: unknown): string =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? String(value) : "";

/** PKCE's challenge of a verifier, method S256. */
export const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");

/** Parameters without those that are empty. */
export const formOf = (fields: Readonly<Record<string, string>>): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ""));
