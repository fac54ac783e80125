/**
 * Authenticates a request: a service account, whose key signs for an access token, or an API key
 * (developers.google.com/identity/protocols/oauth2/service-account).
 */
import { SignJWT, importPKCS8 } from "jose";
import { parseObject, textOf } from "../../dialects/json/fields.ts";
import { readFailure } from "../../dialects/neutral/failure.ts";
import type { AccessToken, SendTools } from "../outgoing.ts";
import { ProviderFault, malformedKey } from "../provider-fault.ts";

export interface ServiceAccount {
  projectId: string;
  email: string;
  privateKey: string;
  privateKeyId: string;
  tokenUrl: string;
}

const TOKEN_URL = "https://oauth2.googleapis.com/token";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** Google takes no longer assertions, and gives tokens that are good as long. */
const LIFETIME_SECONDS = 3600;

const isDocument = (key: string): boolean => key.trimStart().startsWith("{");

/** The account of a key; undefined for an API key, and for a document that is no service account. */
export function accountOf(key: string): ServiceAccount | undefined {
  const fields = isDocument(key) ? (parseObject(key) ?? {}) : {};
  const account = {
    projectId: textOf(fields["project_id"]),
    email: textOf(fields["client_email"]),
    privateKey: textOf(fields["private_key"]),
    privateKeyId: textOf(fields["private_key_id"]),
    tokenUrl: textOf(fields["token_uri"]) || TOKEN_URL,
  };
  return account.projectId === "" || account.email === "" || account.privateKey === "" ? undefined : account;
}

async function assertion(
  { email, privateKey, privateKeyId, tokenUrl }: ServiceAccount,
  nowMs: number,
): Promise<string> {
  const key = await importPKCS8(privateKey, "RS256").catch(() => {
    throw malformedKey("private_key of the service account is no PKCS #8 key");
  });
  const issued = Math.floor(nowMs / 1000);
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(privateKeyId === "" ? {} : { kid: privateKeyId }) })
    .setIssuer(email)
    .setAudience(tokenUrl)
    .setIssuedAt(issued)
    .setExpirationTime(issued + LIFETIME_SECONDS)
    .sign(key);
}

/** Google's error of a token says `invalid_grant` with status 400: the account is refused, or this server's clock is off. */
function refusal(status: number, text: string): ProviderFault {
  const { error, error_description: description } = parseObject(text) ?? {};
  const read = readFailure(status, text, () => ({
    message: textOf(description) || "Google gave no access token",
    type: "",
    code: textOf(error),
    status: 0,
  }));
  return new ProviderFault(read.status === 400 ? { ...read, kind: "auth", isRetryable: true } : read);
}

/** A new access token for the account. Rejects with ProviderFault. */
async function exchange(account: ServiceAccount, { ask, nowMs }: SendTools): Promise<AccessToken> {
  const form = new URLSearchParams({ grant_type: GRANT, assertion: await assertion(account, nowMs) });
  const { status, text, fields } = await ask({
    method: "POST",
    url: account.tokenUrl,
    headers: ["content-type", "application/x-www-form-urlencoded"],
    body: form.toString(),
  });
  const token = textOf(fields["access_token"]);
  if (status !== 200 || token === "") throw refusal(status, text);
  const lifetime = fields["expires_in"];
  return { token, lifetimeSeconds: typeof lifetime === "number" ? lifetime : LIFETIME_SECONDS };
}

/** The headers that authorise a request, as a flat list. Rejects with ProviderFault. */
export async function authorization(key: string, tools: SendTools): Promise<string[]> {
  if (!isDocument(key)) return ["x-goog-api-key", key.trim()];
  const account = accountOf(key);
  if (account === undefined)
    throw malformedKey("the key must be the JSON of a service account with project_id, client_email and private_key");
  return ["authorization", `Bearer ${await tools.accessToken("vertex", () => exchange(account, tools))}`];
}
