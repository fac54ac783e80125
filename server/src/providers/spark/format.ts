/** Spark's own format: one message to a WebSocket, its answer in pieces (xfyun.cn/doc/spark/Web.html). */
import type { FormatName } from "../../dialects/dialect.ts";
import { objectOf, parseObject } from "../../dialects/json/fields.ts";
import { vendorFormat } from "../../dialects/vendor-format.ts";
import { keyParts } from "../key-parts.ts";
import type { ProviderChannel } from "../provider.ts";
import { versionOf } from "./endpoint.ts";
import { encodeRequest } from "./format-request.ts";
import { createDecoder } from "./format-stream.ts";

/** Each message has the key's application and the version's domain. No answer comes in one piece. */
export function format(channel: ProviderChannel, model: string) {
  const [appId = ""] = keyParts(channel.key);
  const { domain, hasSystem } = versionOf(model, channel);
  return vendorFormat({
    encodeRequest: (request, warn) => encodeRequest(request, { appId, domain, hasSystem }, warn),
    decodeAnswer: () => undefined,
    createDecoder,
  });
}

/** Three parts sign the vendor's own format, a password has OpenAI's. */
export const dialectsOf = (_model: string, { key }: ProviderChannel): readonly FormatName[] =>
  keyParts(key).length > 1 ? ["vendor"] : ["openai-chat"];

/** The last piece has the status 2; behind a failure nothing comes either. */
export function isLastMessage(text: string): boolean {
  const { code, status } = objectOf(parseObject(text)?.["header"]);
  return status === 2 || (code !== undefined && code !== 0);
}
