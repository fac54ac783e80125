/** Signs a request of Hunyuan's own format; one with an API key leaves as it is. */
import { keyParts } from "../key-parts.ts";
import type { BeforeSend } from "../provider.ts";
import { malformedKey } from "../provider-fault.ts";
import { authorization } from "./signature.ts";

const HOST = "hunyuan.tencentcloudapi.com";

/** The vendor's host that was called, or the one behind a proxy of the operator. */
function signedHost(url: string): string {
  const { host } = new URL(url);
  return host.endsWith(".tencentcloudapi.com") ? host : HOST;
}

function headerOf(headers: readonly string[], name: string): string {
  const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
  return at < 0 ? "" : (headers[at + 1] ?? "");
}

export const beforeSend: BeforeSend = (request, { key }, _call, { nowMs }) => {
  const parts = keyParts(key);
  if (parts.length === 1) return request;
  const [, secretId = "", secretKey = ""] = parts;
  if (parts.length !== 3 || secretId === "" || secretKey === "")
    throw malformedKey("the key must be AppId|SecretId|SecretKey, or an API key");
  const timestampSeconds = Math.floor(nowMs / 1000);
  const { headers, body, url } = request;
  const signed = [
    ["content-type", headerOf(headers, "content-type")],
    ["host", signedHost(url)],
    ["x-tc-action", headerOf(headers, "x-tc-action")],
  ] as const;
  const value = authorization({ secretId, secretKey, service: "hunyuan", timestampSeconds, headers: signed, body });
  return { ...request, headers: [...headers, "x-tc-timestamp", String(timestampSeconds), "authorization", value] };
};
