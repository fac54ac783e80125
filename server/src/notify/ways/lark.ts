/**
 * Notices by a custom bot of a Lark or Feishu group (https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot): text, and with a
 * secret the signature of the second, which is the HMAC of nothing under `timestamp\nsecret`. A body has at most 20 KB, an answer `code` 0.
 */
import { createHmac } from "node:crypto";
import { cutToBytes, postJson, refusalByCode, type WayDefinition, wholeText } from "./way.ts";

/** JSON may double a text's bytes. */
const TEXT_BYTES = 9000;

/** @param timestamp Unix seconds */
export const larkSignature = (timestamp: string, secret: string): string =>
  createHmac("sha256", `${timestamp}\n${secret}`).update("").digest("base64");

export const lark: WayDefinition<"lark"> = {
  request(message, { lark_url: url, lark_secret: secret }, nowMs) {
    const timestamp = String(Math.floor(nowMs / 1000));
    const signed = secret === "" ? {} : { timestamp, sign: larkSignature(timestamp, secret) };
    return postJson(url, {
      ...signed,
      msg_type: "text",
      content: { text: cutToBytes(wholeText(message), TEXT_BYTES) },
    });
  },
  refusal: refusalByCode("code", "msg"),
};
