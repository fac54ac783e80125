/**
 * WeChat Pay's API v3: signatures of requests, answers and notifications, and the decryption of what a notification is about
 * (https://pay.weixin.qq.com/doc/v3/merchant/4012365342, https://pay.weixin.qq.com/doc/v3/merchant/4013053249 and
 * https://pay.weixin.qq.com/doc/v3/merchant/4012071382).
 */
import { createDecipheriv, randomBytes, sign, verify } from "node:crypto";
import type { OptionValues } from "../../../../../contract/src/options/options.ts";
import { API_V3_KEY_BYTES, certificateIn, privateKeyIn, publicKeyIn } from "../../kit/rsa-keys.ts";

const SCHEME = "WECHATPAY2-SHA256-RSA2048";
const DIGEST = "sha256";

/** How far the clock of what WeChat Pay signed may be from ours. */
const CLOCK_SECONDS = 300;

type KeyOptions = Pick<
  OptionValues,
  | "WechatPayMerchantId"
  | "WechatPayCertificateSerial"
  | "WechatPayPrivateKey"
  | "WechatPayPlatformKey"
  | "WechatPayPlatformKeyId"
>;

interface SignedCall {
  method: "GET" | "POST";
  /** With its query, without the host. */
  path: string;
  body: string;
}

const lines = (...parts: readonly (string | number)[]): string => parts.map((part) => `${part}\n`).join("");

/** The header Authorization of a request. Throws where the private key cannot be read. @param now Unix milliseconds */
export function authorizationOf(options: KeyOptions, { method, path, body }: SignedCall, now: number): string {
  const key = privateKeyIn(options.WechatPayPrivateKey);
  if (key === undefined) throw new Error("WechatPayPrivateKey is no private key");
  const nonce = randomBytes(16).toString("hex");
  const timestamp = Math.floor(now / 1000);
  const signature = sign(DIGEST, Buffer.from(lines(method, path, timestamp, nonce, body)), key).toString("base64");
  const parts = {
    mchid: options.WechatPayMerchantId,
    nonce_str: nonce,
    signature,
    timestamp,
    serial_no: options.WechatPayCertificateSerial,
  };
  const list = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
  return `${SCHEME} ${list.join(",")}`;
}

/** The id under which WeChat Pay names the key it signs with: that of its public key, or the serial number of its certificate. */
export const platformKeyId = (options: KeyOptions): string =>
  options.WechatPayPlatformKeyId === ""
    ? (certificateIn(options.WechatPayPlatformKey)?.serialNumber ?? "")
    : options.WechatPayPlatformKeyId;

interface SignedText {
  /** First value of a header by its name in small letters, "" where it is absent. */
  header(name: string): string;
  body: string;
}

/** Whether WeChat Pay signed this with the key that is set, within the last five minutes. False where the key is none. @param now Unix milliseconds */
export function isSignedByWechat(options: KeyOptions, { header, body }: SignedText, now: number): boolean {
  const key = publicKeyIn(options.WechatPayPlatformKey);
  const timestamp = header("wechatpay-timestamp");
  const id = platformKeyId(options);
  if (key === undefined || id === "" || header("wechatpay-serial").toUpperCase() !== id.toUpperCase()) return false;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Number(timestamp) - now / 1000) > CLOCK_SECONDS) return false;
  const text = lines(timestamp, header("wechatpay-nonce"), body);
  return verify(DIGEST, Buffer.from(text), key, Buffer.from(header("wechatpay-signature"), "base64"));
}

/** The content of a notification, encrypted by AEAD_AES_256_GCM. */
export interface EncryptedResource {
  ciphertext: string;
  nonce: string;
  associated_data: string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The text of a resource; undefined where it was not encrypted by this key, or was changed. @param apiV3Key 32 bytes */
export function decrypted({ ciphertext, nonce, associated_data }: EncryptedResource, apiV3Key: string) {
  const [key, iv, bytes] = [Buffer.from(apiV3Key), Buffer.from(nonce), Buffer.from(ciphertext, "base64")];
  if (key.length !== API_V3_KEY_BYTES || iv.length !== NONCE_BYTES || bytes.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  decipher.setAAD(Buffer.from(associated_data));
  try {
    const start = decipher.update(bytes.subarray(0, -TAG_BYTES));
    return Buffer.concat([start, decipher.final()]).toString("utf8");
  } catch {
    return undefined; // the tag does not fit: the answer to the caller does not say more
  }
}
