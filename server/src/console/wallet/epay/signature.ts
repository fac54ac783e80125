/** The signature of epay gateways: MD5 over the sorted fields, with the key of the merchant behind them. */
import { createHash } from "node:crypto";
import { isSameSecret } from "../../http/same-secret.ts";

type Fields = Readonly<Record<string, string>>;

const UNSIGNED: ReadonlySet<string> = new Set(["sign", "sign_type"]);

/**
 * Blank fields, `sign` and `sign_type` are left out, and values are signed as they are, not as an address writes them.
 * https://www.kancloud.cn/beginnerzero/zeropay/1525405
 * @param key the merchant's; never blank
 */
function signatureOf(fields: Fields, key: string): string {
  const text = Object.entries(fields)
    .filter(([name, value]) => value !== "" && !UNSIGNED.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  return createHash("md5")
    .update(text + key, "utf8")
    .digest("hex");
}

/** The fields with their signature. */
export const signed = (fields: Fields, key: string): Fields => ({
  ...fields,
  sign: signatureOf(fields, key),
  sign_type: "MD5",
});

/** True where the fields carry the signature that this key makes of them; always false with a blank key, which is no secret. */
export const isSigned = (fields: Fields, key: string): boolean =>
  key !== "" &&
  (fields["sign_type"] ?? "MD5").toUpperCase() === "MD5" &&
  isSameSecret((fields["sign"] ?? "").toLowerCase(), signatureOf(fields, key));
