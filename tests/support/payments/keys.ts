/** For tests: RSA keys as payment providers and their merchants have them, made once for each process that asks. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";

export interface TestKeys {
  privateKey: KeyObject;
  publicKey: KeyObject;
  /** PKCS #8 and SPKI in PEM. */
  privatePem: string;
  publicPem: string;
  /** The same as the Base64 that Alipay's key tool shows; the private one is PKCS #1. */
  privateBase64: string;
  publicBase64: string;
}

function made(): TestKeys {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    privateKey,
    publicKey,
    privatePem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicPem: publicKey.export({ type: "spki", format: "pem" }).toString(),
    privateBase64: privateKey.export({ type: "pkcs1", format: "der" }).toString("base64"),
    publicBase64: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
  };
}

const known = new Map<string, TestKeys>();

/** The pair of this name. @param name `merchant`, `alipay`, ... */
export function testKeys(name: string): TestKeys {
  const keys = known.get(name) ?? made();
  known.set(name, keys);
  return keys;
}

/** PEM as it is after it was pasted into a field of one line. */
const inOneLine = (pem: string): string => pem.replaceAll("\n", "");

/** A value of each option that holds a key. */
export const keyOptions = (): Readonly<Record<string, string>> => ({
  AlipayPrivateKey: testKeys("merchant").privateBase64,
  AlipayPublicKey: testKeys("alipay").publicBase64,
  WechatPayPrivateKey: inOneLine(testKeys("merchant").privatePem),
  WechatPayPlatformKey: inOneLine(testKeys("wechat").publicPem),
  WechatPayApiV3Key: "0123456789abcdef0123456789abcdef",
});
