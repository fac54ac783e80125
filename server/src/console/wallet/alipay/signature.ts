/** Alipay's RSA2 signatures over fields, and over an answer's bytes (https://opendocs.alipay.com/common/02mse7). */
import { sign, verify } from "node:crypto";
import { privateKeyIn, publicKeyIn } from "../../kit/rsa-keys.ts";
import type { Fields } from "../payment-method.ts";

/** SHA-256 with RSA; the older RSA is SHA-1 and taken by nothing here. */
const SIGN_TYPE = "RSA2";
const DIGEST = "sha256";

/** The signed text: `a=1&b=2` in the order of the names, values as they are and not as an address writes them, blank ones left out. */
const signedText = (fields: Fields, unsigned: ReadonlySet<string>): string =>
  Object.entries(fields)
    .filter(([name, value]) => value !== "" && !unsigned.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");

/** Of a request the signature alone is not signed, of a notification its kind neither. */
const UNSIGNED_OF_REQUESTS: ReadonlySet<string> = new Set(["sign"]);
const UNSIGNED_OF_NOTIFICATIONS: ReadonlySet<string> = new Set(["sign", "sign_type"]);

/** The fields of a request with their signature. Throws where the key is none. @param privateKey of the application */
export function signedRequest(fields: Fields, privateKey: string): Fields {
  const key = privateKeyIn(privateKey);
  if (key === undefined) throw new Error("AlipayPrivateKey is no private key");
  const all = { ...fields, sign_type: SIGN_TYPE };
  const text = Buffer.from(signedText(all, UNSIGNED_OF_REQUESTS));
  return { ...all, sign: sign(DIGEST, text, key).toString("base64") };
}

/** Whether Alipay signed a text. False where the key is none. @param publicKey Alipay's, for this application */
export function isSignedByAlipay(text: string, signature: string, publicKey: string): boolean {
  const key = publicKeyIn(publicKey);
  return key !== undefined && verify(DIGEST, Buffer.from(text), key, Buffer.from(signature, "base64"));
}

/** Whether the fields of a notification carry Alipay's signature. */
export const isSignedNotification = (fields: Fields, publicKey: string): boolean =>
  fields["sign_type"] === SIGN_TYPE &&
  isSignedByAlipay(signedText(fields, UNSIGNED_OF_NOTIFICATIONS), fields["sign"] ?? "", publicKey);

/**
 * The object behind a name in JSON text, byte by byte as Alipay signed it; undefined where there is none. An answer's signature is over this
 * text, which writing the parsed object again need not give.
 */
export function rawObject(json: string, name: string): string | undefined {
  const label = `"${name}":`;
  const at = json.indexOf(label);
  const start = at === -1 ? -1 : json.indexOf("{", at + label.length);
  if (start === -1 || json.slice(at + label.length, start).trim() !== "") return undefined;
  // Strings are skipped as a whole, so that a brace in one counts nothing.
  const parts = /"(?:[^"\\]|\\.)*"|[{}]/g;
  parts.lastIndex = start;
  let depth = 0;
  for (let found = parts.exec(json); found !== null; found = parts.exec(json)) {
    if (found[0] === "{") depth += 1;
    if (found[0] === "}") depth -= 1;
    if (depth === 0) return json.slice(start, parts.lastIndex);
  }
  return undefined;
}
