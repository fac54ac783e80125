/** The own format of one vendor, as its provider gives it: what it says to and hears from chat, the rest as most vendors have it. */
import type { UpstreamFormat } from "./dialect.ts";
import { warnOfCacheMarks } from "./neutral/cache-marks.ts";
import { readFailure } from "./neutral/failure.ts";
import { normaliseUsage } from "./openai-chat/usage.ts";

type Own = { takesCacheMarks?: true } & Pick<UpstreamFormat, "encodeRequest" | "decodeAnswer" | "createDecoder"> &
  Partial<Pick<UpstreamFormat, "path" | "fetchedMedia" | "isErrorBody" | "normaliseUsage">>;

/**
 * The format of a vendor. Its answers and streams give usage as `rawUsage` in the words of chat completions (`prompt_tokens`,
 * `completion_tokens`, ...), unless it reads its own with `normaliseUsage`. One that takes cache marks names those itself that it does not. Where it has no `path` the provider's endpoint knows it.
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
