/** The upstream's own id of a request: read from its headers, stored with the receipt, wanted by its support. */
import type { ResponseHeaders } from "../../upstream/client.ts";

/**
 * Headers in the order in which they are looked for: Anthropic's (platform.claude.com/docs/en/api/errors), OpenAI's and most others'
 * (platform.openai.com/docs/api-reference/debugging-requests), Azure's, AWS', Volcengine's, and that of other gateways of this family.
 */
const HEADERS = [
  "request-id",
  "x-request-id",
  "apim-request-id",
  "x-amzn-requestid",
  "x-tt-logid",
  "x-oneapi-request-id",
] as const;

/** One word of an upstream's making, which a row of the log stores: bounded, and of printable characters alone. */
const ID = /^[\x21-\x7e]{1,128}$/;

/** What a tried channel of a receipt has of it: nothing where the upstream named none, or sent the channel's key back there. */
export function upstreamRequestId(headers: ResponseHeaders, channelKey: string): { upstream_request_id?: string } {
  for (const name of HEADERS) {
    const value = headers[name];
    const isId = typeof value === "string" && ID.test(value) && (channelKey === "" || !value.includes(channelKey));
    if (isId) return { upstream_request_id: value };
  }
  return {};
}
