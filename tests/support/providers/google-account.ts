/** A service account of Google's, and the server that exchanges its assertions for tokens, for the lifetime of the test's process. */
import { createVerify, generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Fields, fieldsOf } from "../clients/client-formats.ts";

const EMAIL = "relay@my-project.iam.gserviceaccount.com";
export const PROJECT = "my-project";
const KEY_ID = "4711";

const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

const partIn = (text: string): Fields => fieldsOf(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));

/** What is wrong with an assertion; undefined where Google would give a token for it. */
function faultOf(assertion: string, audience: string): string | undefined {
  const [head = "", body = "", signature = ""] = assertion.split(".");
  const isSigned = createVerify("RSA-SHA256").update(`${head}.${body}`).verify(publicKey, signature, "base64url");
  if (!isSigned) return "Invalid JWT Signature.";
  const { alg, kid } = partIn(head);
  const { iss, scope, aud, iat, exp } = partIn(body);
  if (alg !== "RS256" || kid !== KEY_ID || iss !== EMAIL || aud !== audience) return "Invalid JWT.";
  if (scope !== "https://www.googleapis.com/auth/cloud-platform") return "Invalid OAuth scope.";
  const nowSeconds = Date.now() / 1000;
  const isTimely = Math.abs(Number(iat) - nowSeconds) < 300 && Number(exp) - Number(iat) <= 3600;
  return isTimely ? undefined : "Invalid JWT: Token must be a short-lived token (60 minutes).";
}

/** Exchanges so far, and whether the next one is refused. */
export const exchanges = { count: 0, isRefused: false, delayMs: 0 };

const server = createServer((request, response) => {
  let text = "";
  request.on("data", (part: Buffer) => (text += part.toString("utf8")));
  request.on("end", () => {
    const form = new URLSearchParams(text);
    const isGrant = form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer";
    const fault = isGrant ? faultOf(form.get("assertion") ?? "", tokenUrl()) : "Invalid grant_type.";
    const refusal = exchanges.isRefused ? "Account not found." : fault;
    exchanges.count += 1;
    const [status, body] =
      refusal === undefined
        ? [200, { access_token: currentToken(), expires_in: 3599, token_type: "Bearer" }]
        : [400, { error: "invalid_grant", error_description: refusal }];
    const send = () =>
      response.writeHead(status as number, { "content-type": "application/json" }).end(JSON.stringify(body));
    setTimeout(send, exchanges.delayMs);
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
server.unref();

const tokenUrl = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;

/** The token that is good now. */
export const currentToken = (): string => `ya29.token-${exchanges.count}`;

/** The account's key as Google's console gives it: JSON of many lines. */
export const accountKey = (): string =>
  JSON.stringify(
    {
      type: "service_account",
      project_id: PROJECT,
      private_key_id: KEY_ID,
      private_key: privateKey,
      client_email: EMAIL,
      token_uri: tokenUrl(),
    },
    undefined,
    2,
  );
