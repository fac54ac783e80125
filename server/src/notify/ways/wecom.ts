/** Notices by a robot of a WeCom group (https://developer.work.weixin.qq.com/document/path/91770): text of at most 2048 bytes; an answer has `errcode` 0. */
import { cutToBytes, postJson, refusalByCode, type WayDefinition, wholeText } from "./way.ts";

const TEXT_BYTES = 2048;

export const wecom: WayDefinition<"wecom"> = {
  request: (message, { wecom_url: url }) =>
    postJson(url, { msgtype: "text", text: { content: cutToBytes(wholeText(message), TEXT_BYTES) } }),
  refusal: refusalByCode("errcode", "errmsg"),
};
