/** The interface of one vendor's own format, as its provider declares it: requests and answers of chat; the rest has defaults. */
import type { UpstreamFormat } from "./dialect.ts";
import { warnOfCacheMarks } from "./neutral/dropped-fields.ts";
import { readFailure } from "./neutral/failure.ts";
import { normaliseUsage } from "./openai-chat/usage.ts";

type Own = { takesCacheMarks?: true } & Pick<UpstreamFormat, "encodeRequest" | "decodeAnswer" | "createDecoder"> &
  Partial<Pick<UpstreamFormat, "path" | "fetchedMedia" | "isErrorBody" | "normaliseUsage">>;

/**
 * The format of a vendor. Its answers and streams give usage as `rawUsage` in the fields of chat completions (`prompt_tokens`,
 * `completion_tokens`, ...), unless it reads its own with `normaliseUsage`. One that supports cache breakpoints warns of the rest itself.
 * Without a `path` the provider's endpoint has it.
 */
export const vendorFormat = ({ takesCacheMarks, ...own }: Own): UpstreamFormat => ({
  name: "vendor",
  path: () => "",
  fetchedMedia: [],
  findUsage: () => undefined,
  normaliseUsage,
  isErrorBody: () => false,
  readFailure: (status, body) => readFailure(status, body),
  ...own,
  encodeRequest(request, warn) {
    if (takesCacheMarks !== true) warnOfCacheMarks(request, warn);
    return own.encodeRequest(request, warn);
  },
});
