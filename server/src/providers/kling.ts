/** Kling: channel type 50, videos alone (app.klingai.com/global/dev/document-api). */
import { SignJWT } from "jose";
import { numberOf, objectOf, textOf } from "../dialects/json/fields.ts";
import { readCodedFailure } from "../dialects/neutral/failure.ts";
import { defineProvider } from "./define.ts";
import { keyParts } from "./provider-fault.ts";
import type { BeforeSend, UpstreamErrorKind, UpstreamFailure } from "./provider.ts";

/** How long a token is good, and how long before it is: clocks differ. */
const LIFETIME_SECONDS = 1_800;
const EARLY_SECONDS = 5;

/** A token that the secret key signs; a key of one part is sent as it is, for gateways that have Kling's API. */
const beforeSend: BeforeSend = async (request, { key }, _call, { nowMs }) => {
  const [access = "", secret] = keyParts(key);
  const now = Math.floor(nowMs / 1_000);
  const token =
    secret === undefined
      ? access
      : await new SignJWT({})
          .setProtectedHeader({ alg: "HS256", typ: "JWT" })
          .setIssuer(access)
          .setNotBefore(now - EARLY_SECONDS)
          .setExpirationTime(now + LIFETIME_SECONDS)
          .sign(new TextEncoder().encode(secret));
  return { ...request, headers: [...request.headers, "authorization", `Bearer ${token}`] };
};

/** Codes of its errors, by their thousands where all of them are alike. */
const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  1101: "quota",
  1102: "quota",
  1103: "auth",
  1300: "content",
  1301: "content",
  1302: "rate",
  1303: "rate",
  1304: "auth",
};
const FAMILIES: readonly (readonly [codes: RegExp, kind: UpstreamErrorKind])[] = [
  [/^1[01]\d\d$/, "auth"],
  [/^12\d\d$/, "invalid"],
  [/^5\d\d\d$/, "overloaded"],
];

const kindOf = (code: string): UpstreamErrorKind | undefined =>
  KINDS[code] ?? FAMILIES.find(([codes]) => codes.test(code))?.[1];

function read(parsed: unknown): { message: string; code: string } {
  const { code, message } = objectOf(parsed);
  return { message: textOf(message), code: String(numberOf(code) ?? textOf(code)) };
}

const failure = (status: number, body: string): UpstreamFailure => readCodedFailure(status, body, read, kindOf);

export const kling = defineProvider({
  id: 50,
  slug: "kling",
  name: "Kling",
  defaultBaseUrl: "https://api.klingai.com",
  keyHint: "access_key|secret_key",
  keyForms: [["access_key", "secret_key"], ["api_key"]],
  keyHeader: "",
  models: [
    "kling-v1",
    "kling-v1-5",
    "kling-v1-6",
    "kling-v2-master",
    "kling-v2-1",
    "kling-v2-1-master",
    "kling-v2-5-turbo",
    "kling-v2-6",
    "kling-v3",
  ],
  operations: ["videos"],
  canTest: false,
  mark: { glyph: "K", colour: "#0f766e" },
  beforeSend,
  failure,
});
