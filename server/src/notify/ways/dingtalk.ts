/**
 * Notices by a custom robot of a DingTalk group (https://open.dingtalk.com/document/robots/custom-robot-access): text, and with a secret the
 * signature of the millisecond in the address, which is the HMAC of `timestamp\nsecret` under the secret. An answer has `errcode` 0.
 */
import { createHmac } from "node:crypto";
import { cutToBytes, postJson, refusalByCode, type WayDefinition, wholeText } from "./way.ts";

/** A message has at most 20 000 bytes; JSON may double a text's. */
const TEXT_BYTES = 9000;

/** @param timestamp Unix milliseconds */
export const dingtalkSignature = (timestamp: string, secret: string): string =>
  createHmac("sha256", secret).update(`${timestamp}\n${secret}`).digest("base64");

export const dingtalk: WayDefinition<"dingtalk"> = {
  request(message, { dingtalk_url: address, dingtalk_secret: secret }, nowMs) {
    const url = new URL(address);
    if (secret !== "") {
      url.searchParams.set("timestamp", String(nowMs));
      url.searchParams.set("sign", dingtalkSignature(String(nowMs), secret));
    }
    return postJson(url.href, { msgtype: "text", text: { content: cutToBytes(wholeText(message), TEXT_BYTES) } });
  },
  refusal: refusalByCode("errcode", "errmsg"),
};
