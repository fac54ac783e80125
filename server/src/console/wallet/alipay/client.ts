/** Requests to Alipay's gateway: the common fields of each, and calls whose answers are verified (https://opendocs.alipay.com/open-v3/054q58). */
import { z } from "zod";
import type { OptionValues } from "../../../../../contract/src/options/options.ts";
import { addressOf } from "../../http/handlers.ts";
import type { Fields, WalletContext } from "../payment-method.ts";
import { isSignedByAlipay, rawObject, signedRequest } from "./signature.ts";

/** https://opendocs.alipay.com/common/02nebp; the sandbox has another address, which the option AlipayGateway names. */
const ALIPAY_HOST = "https://openapi.alipay.com";
const GATEWAY_PATH = "/gateway.do";

const LIMITS = { bytes: 256 * 1024, timeoutMs: 8_000 };

/** Where requests go. */
export const gatewayOf = ({ snapshot: { options }, site }: Pick<WalletContext, "snapshot" | "site">): string =>
  options.AlipayGateway === "" ? `${addressOf(site, ALIPAY_HOST)}${GATEWAY_PATH}` : options.AlipayGateway;

const BEIJING_OFFSET_MS = 8 * 3_600_000;

/** Times of Alipay are Beijing's, which has no summer time: `2026-11-25 10:31:23`. @param now Unix milliseconds */
export const alipayTime = (now: number): string =>
  new Date(now + BEIJING_OFFSET_MS).toISOString().slice(0, 19).replace("T", " ");

interface AlipayRequest {
  /** Of Alipay's: `alipay.trade.query`. */
  method: string;
  content: Readonly<Record<string, string>>;
  /** Fields beside the content. */
  more?: Fields;
}

/** A signed request as its fields. Throws where the private key cannot be read. @param now Unix milliseconds */
export function requestFields(options: OptionValues, { method, content, more }: AlipayRequest, now: number): Fields {
  const fields = {
    app_id: options.AlipayAppId,
    method,
    format: "JSON",
    charset: "utf-8",
    timestamp: alipayTime(now),
    version: "1.0",
    ...more,
    biz_content: JSON.stringify(content),
  };
  return signedRequest(fields, options.AlipayPrivateKey);
}

const signedAnswer = z.object({ sign: z.string() });

/** Fields of answers that are read here; codes: https://opendocs.alipay.com/common/02km9f */
const answerContent = z.object({
  code: z.string(),
  sub_code: z.string().default(""),
  out_trade_no: z.string().default(""),
  trade_no: z.string().default(""),
  trade_status: z.string().default(""),
  total_amount: z.string().default(""),
});
export type AlipayAnswer = z.output<typeof answerContent>;

/** Calls Alipay. Throws where it cannot be reached, or its answer has not its signature. */
export async function callAlipay(context: WalletContext, request: AlipayRequest): Promise<AlipayAnswer> {
  const { snapshot, relay, clock } = context;
  const fields = requestFields(snapshot.options, request, clock());
  const sent = relay.fetchGuarded({
    method: "POST",
    url: `${gatewayOf(context)}?charset=utf-8`,
    headers: { "content-type": "application/x-www-form-urlencoded;charset=utf-8" },
    body: new URLSearchParams(fields).toString(),
    limits: LIMITS,
  });
  const { status, body } = await sent.catch((cause: unknown) => {
    throw new Error("Alipay cannot be reached", { cause });
  });
  const text = rawObject(body, `${request.method.replaceAll(".", "_")}_response`);
  if (status !== 200 || text === undefined) throw new Error(`Alipay answered ${request.method} with status ${status}`);
  const { sign } = signedAnswer.parse(JSON.parse(body));
  if (!isSignedByAlipay(text, sign, snapshot.options.AlipayPublicKey))
    throw new Error(`Alipay's answer to ${request.method} does not carry its signature`);
  return answerContent.parse(JSON.parse(text));
}
