/** Which vendor the fake upstream plays for a request, by its path: add a vendor here. */
import { ACCOUNT_PATHS, accountVendor } from "./accounts.ts";
import { anthropicVendor } from "./anthropic/anthropic.ts";
import type { SeenRequest } from "./plan.ts";
import { geminiVendor } from "./gemini/gemini.ts";
import { MEDIA_PATHS, mediaVendor } from "./media/media.ts";
import { STUDIO_PATHS, studioVendor } from "./media/studio.ts";
import { openAiChatVendor } from "./openai/chat.ts";
import { openAiOperationsVendor } from "./openai/operations.ts";
import { openAiResponsesVendor } from "./openai/responses.ts";
import type { Vendor } from "./vendor.ts";

interface Served {
  path: RegExp;
  /** Distinguishes vendors that share a path. */
  header?: string;
  vendor: Vendor;
}

/** The first that fits is played; paths are without their query. */
const VENDORS: readonly Served[] = [
  { path: /\/messages(?:\/count_tokens)?$/, vendor: anthropicVendor },
  { path: /\/models$/, header: "anthropic-version", vendor: anthropicVendor },
  { path: /\/v1(?:alpha|beta)?\/models\/[^/]+:\w+$/, vendor: geminiVendor },
  { path: /\/v1(?:alpha|beta)\/models(?:\/[^/]+)?$/, vendor: geminiVendor },
  { path: MEDIA_PATHS, vendor: mediaVendor },
  { path: STUDIO_PATHS, vendor: studioVendor },
  { path: ACCOUNT_PATHS, vendor: accountVendor },
  { path: /\/responses$/, vendor: openAiResponsesVendor },
  { path: /\/(?:images\/\w+|audio\/\w+|moderations|rerank)$/, vendor: openAiOperationsVendor },
  { path: /\/(?:chat\/completions|completions|embeddings|models)$/, vendor: openAiChatVendor },
];

/** Undefined for a path that no vendor serves. */
export function vendorOf(seen: SeenRequest): Vendor | undefined {
  const path = seen.path.split("?")[0] ?? "";
  return VENDORS.find(
    ({ path: served, header }) => served.test(path) && (header === undefined || header in seen.headers),
  )?.vendor;
}

/** Speaks where no vendor does: its error envelope is the one most clients understand. */
export const DEFAULT_VENDOR: Vendor = openAiChatVendor;
