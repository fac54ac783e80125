/** Jimeng, ByteDance's videos at Volcano Engine: channel type 51 (volcengine.com/docs/85621). */
import { createHash, createHmac } from "node:crypto";
import { numberOf, objectOf, textOf } from "../dialects/json/fields.ts";
import { readCodedFailure } from "../dialects/neutral/failure.ts";
import { defineProvider } from "./define.ts";
import type { BeforeSend, UpstreamErrorKind, UpstreamFailure } from "./provider.ts";
import { malformedKey, keyParts } from "./provider-fault.ts";

const REGION = "cn-north-1";
const SERVICE = "cv";
const SIGNED_HEADERS = "content-type;host;x-content-sha256;x-date";

const hash = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const keyed = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** The query as it is signed: sorted by name, with all but unreserved characters escaped (RFC 3986). */
const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted()
    .join("&");

/** The headers of a signature of Volcano Engine's version 4 (volcengine.com/docs/6369/67269). `nowMs` is Unix time in milliseconds. */
function volcanoHeaders(
  url: URL,
  body: Buffer,
  [access = "", secret = ""]: readonly string[],
  nowMs: number,
): string[] {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, "");
  const date = time.slice(0, 8);
  const bodyHash = hash(body);
  const headers = `content-type:application/json\nhost:${url.host}\nx-content-sha256:${bodyHash}\nx-date:${time}\n`;
  const canonical = ["POST", url.pathname, canonicalQuery(url.searchParams), headers, SIGNED_HEADERS, bodyHash].join(
    "\n",
  );
  const scope = `${date}/${REGION}/${SERVICE}/request`;
  const key = [REGION, SERVICE, "request"].reduce(keyed, keyed(secret, date));
  const signature = keyed(key, ["HMAC-SHA256", time, scope, hash(canonical)].join("\n")).toString("hex");
  const credential = `Credential=${access}/${scope}, SignedHeaders=${SIGNED_HEADERS}, Signature=${signature}`;
  return ["x-date", time, "x-content-sha256", bodyHash, "authorization", `HMAC-SHA256 ${credential}`];
}

/** Signs; a key of one part is sent as it is, for gateways that have Jimeng's API. */
const beforeSend: BeforeSend = (request, { key }, _call, { nowMs }) => {
  const parts = keyParts(key);
  if (parts.length > 2 || parts.includes("")) throw malformedKey("the key is not of the form access_key|secret_key");
  const added =
    parts.length === 1
      ? ["authorization", `Bearer ${parts[0] ?? ""}`]
      : volcanoHeaders(new URL(request.url), request.body, parts, nowMs);
  return { ...request, headers: [...request.headers, ...added] };
};

const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  50_400: "auth",
  50_411: "content",
  50_412: "content",
  50_413: "content",
  50_429: "rate",
  50_430: "rate",
  50_500: "overloaded",
  50_501: "overloaded",
  AccessDenied: "auth",
  InvalidAuthorization: "auth",
  InvalidCredential: "auth",
  SignatureDoesNotMatch: "auth",
};

function read(parsed: unknown): { message: string; code: string } {
  const { code, message, ResponseMetadata } = objectOf(parsed);
  const { Code, Message } = objectOf(objectOf(ResponseMetadata)["Error"]);
  return { message: textOf(message) || textOf(Message), code: String(numberOf(code) ?? textOf(Code)) };
}

const failure = (status: number, body: string): UpstreamFailure =>
  readCodedFailure(status, body, read, (code) => KINDS[code]);

export const jimeng = defineProvider({
  id: 51,
  slug: "jimeng",
  name: "Jimeng",
  defaultBaseUrl: "https://visual.volcengineapi.com",
  keyHint: "access_key|secret_key",
  keyForms: [["access_key", "secret_key"], ["api_key"]],
  keyHeader: "",
  models: ["jimeng_v30", "jimeng_v30_1080p", "jimeng_v30_pro", "jimeng_vgfm_t2v_l20", "jimeng_vgfm_i2v_l20"],
  operations: ["videos"],
  canTest: false,
  mark: { glyph: "J", colour: "#2563eb" },
  beforeSend,
  failure,
});
