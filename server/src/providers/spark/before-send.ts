/** Signs the address of a WebSocket; a call with a password leaves as it is. */
import { keyParts } from "../key-parts.ts";
import type { BeforeSend } from "../provider.ts";
import { malformedKey } from "../provider-fault.ts";
import { signedUrl } from "./signature.ts";

const HOST = "spark-api.xf-yun.com";

/** The vendor's host that was called, or the one behind a proxy of the operator. */
function signedHost(url: string): string {
  const { host } = new URL(url);
  return host.endsWith(".xf-yun.com") ? host : HOST;
}

export const beforeSend: BeforeSend = (request, { key }, _call, { nowMs }) => {
  const parts = keyParts(key);
  if (parts.length === 1) return request;
  const [appId = "", apiSecret = "", apiKey = ""] = parts;
  if (parts.length !== 3 || appId === "" || apiSecret === "" || apiKey === "")
    throw malformedKey("the key must be APPID|APISecret|APIKey, or an APIPassword");
  const url = signedUrl(request.url, { host: signedHost(request.url), nowMs, apiKey, apiSecret });
  return { ...request, url };
};
