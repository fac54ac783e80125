/** Cohere's own chat, version 2 (docs.cohere.com/reference/chat), put together from its halves. */
import { textOf } from "../../dialects/json/fields.ts";
import { vendorFormat } from "../../dialects/vendor-format.ts";
import type { ProviderChannel } from "../provider.ts";
import { decodeAnswer, isBrokenEnd } from "./format-answer.ts";
import { encodeRequest } from "./format-request.ts";
import { createDecoder } from "./format-stream.ts";

const SAFETY_MODES: ReadonlySet<string> = new Set(["CONTEXTUAL", "STRICT", "OFF"]);

/** The channel's mode of safety (docs.cohere.com/docs/safety-modes) goes with every request that may have one. */
export function format({ other }: Pick<ProviderChannel, "other">) {
  const safetyMode = SAFETY_MODES.has(other.trim()) ? other.trim() : "";
  return vendorFormat({
    encodeRequest: (request, warn) => encodeRequest(request, safetyMode, warn),
    decodeAnswer,
    createDecoder,
    isErrorBody: (fields) => isBrokenEnd(textOf(fields["finish_reason"])),
  });
}
