/** iFlytek's signed URLs (xfyun.cn/doc/spark/general_url_authentication.html; an example with its result: xfyun.cn/doc/asr/voicedictation/API.html). */
import { createHmac } from "node:crypto";

export interface SignedUrl {
  /** Of the vendor, also where a proxy of the operator is called. */
  host: string;
  /** Now, as Unix time in milliseconds; the vendor takes 300 seconds to either side. */
  nowMs: number;
  apiKey: string;
  apiSecret: string;
}

/** The URL with its signature in the query. */
export function signedUrl(url: string, { host, nowMs, apiKey, apiSecret }: SignedUrl): string {
  const target = new URL(url);
  const date = new Date(nowMs).toUTCString();
  const text = `host: ${host}\ndate: ${date}\nGET ${target.pathname} HTTP/1.1`;
  const signature = createHmac("sha256", apiSecret).update(text).digest("base64");
  const authorization = `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  target.searchParams.set("authorization", Buffer.from(authorization).toString("base64"));
  target.searchParams.set("date", date);
  target.searchParams.set("host", host);
  return target.href;
}
