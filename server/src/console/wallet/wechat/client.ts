/** Calls of WeChat Pay's API v3: signed, and answers believed only with WeChat Pay's signature (https://pay.weixin.qq.com/doc/v3/merchant/4012081606). */
import { z } from "zod";
import { addressOf } from "../../http/handlers.ts";
import type { WalletContext } from "../payment-method.ts";
import { authorizationOf, isSignedByWechat, platformKeyId } from "./signature.ts";

const WECHAT_API = "https://api.mch.weixin.qq.com";

const LIMITS = { bytes: 256 * 1024, timeoutMs: 8_000 };

const refusal = z.object({ code: z.string().max(100).catch("") });

/** An answer: `code` is WeChat Pay's word for a refusal, "" where there is none; `data` what a success carries. */
interface WechatAnswer {
  status: number;
  code: string;
  data: unknown;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Calls the API. A refusal is an answer: only what succeeds moves money, so that only that has to carry a signature. Throws where it cannot be
 * reached, or a success is not signed. @param path with its query
 */
export async function callWechat(context: WalletContext, path: string, content?: object): Promise<WechatAnswer> {
  const { snapshot, relay, clock, site } = context;
  const { options } = snapshot;
  const method = content === undefined ? "GET" : "POST";
  const body = content === undefined ? "" : JSON.stringify(content);
  const request = relay.fetchGuarded({
    method,
    url: `${addressOf(site, WECHAT_API)}${path}`,
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      "user-agent": "Turnpike",
      // The key that it is to sign its answer with: https://pay.weixin.qq.com/doc/v3/merchant/4012154180
      "wechatpay-serial": platformKeyId(options),
      authorization: authorizationOf(options, { method, path, body }, clock()),
    },
    ...(body !== "" && { body }),
    limits: LIMITS,
  });
  const answer = await request.catch((cause: unknown) => {
    throw new Error("WeChat Pay cannot be reached", { cause });
  });
  if (answer.status < 200 || answer.status > 299)
    return {
      status: answer.status,
      code: refusal.catch({ code: "" }).parse(parsed(answer.body)).code,
      data: undefined,
    };
  const header = (name: string): string => answer.headers[name] ?? "";
  if (!isSignedByWechat(options, { header, body: answer.body }, clock()))
    throw new Error("WeChat Pay's answer does not carry its signature");
  return { status: answer.status, code: "", data: parsed(answer.body) };
}
