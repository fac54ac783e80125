/** Authorises with a token signed with the key's secret, as keys of version 3 are used to; a key without a secret goes as it is. */
import { createHmac } from "node:crypto";
import type { BeforeSend } from "../provider.ts";

/** The vendor takes tokens until this long after they were made; each call has a new one. */
const LIFETIME_MS = 30 * 60_000;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JSON Web Token (RFC 7519) with HS256, whose times are in milliseconds (docs.bigmodel.cn/cn/api/introduction). */
function tokenOf(id: string, secret: string, nowMs: number): string {
  const header = part({ alg: "HS256", sign_type: "SIGN" });
  const payload = part({ api_key: id, exp: nowMs + LIFETIME_MS, timestamp: nowMs });
  const signature = createHmac("sha256", secret).update(`${header}.${payload}`).digest("base64url");
  return `${header}.${payload}.${signature}`;
}

export const beforeSend: BeforeSend = (request, { key }, _call, { nowMs }) => {
  const [id = "", secret = "", ...more] = key.trim().split(".");
  const isPair = id !== "" && secret !== "" && more.length === 0;
  const token = isPair ? tokenOf(id, secret, nowMs) : key.trim();
  return { ...request, headers: [...request.headers, "authorization", `Bearer ${token}`] };
};
