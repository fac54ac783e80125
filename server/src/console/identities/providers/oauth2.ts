/** Sign-in at any OAuth 2.0 site without OpenID, as named providers describe it: its three addresses, where its user-info answer has what, and who may come in (RFC 6749, RFC 7636). */
import { AppError } from "../../../../../contract/src/errors.ts";
import type { OAuthMapping } from "../../../../../contract/src/features/identities.ts";
import type { GuardedRequest } from "../../relay-tools.ts";
import { NO_CODE, testFlow, testTokenRequest } from "./client-test.ts";
import { fieldAt, mayEnter, readConditions } from "./entry-conditions.ts";
import { askJson, challengeOf, formOf, idOf, type Json, textOf } from "./http.ts";
import type { CodeProvider, Flow, Profile, ProviderContext } from "./provider.ts";

export interface OAuthSettings {
  clientId: string;
  clientSecret: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  userInfoEndpoint: string;
  mapping: OAuthMapping;
}

/** Both parts of the header are form-encoded before they are joined (RFC 6749, 2.3.1). */
const basicOf = ({ clientId, clientSecret }: OAuthSettings): string => {
  const encoded = [clientId, clientSecret].map((part) => encodeURIComponent(part)).join(":");
  return `Basic ${Buffer.from(encoded).toString("base64")}`;
};

function tokenRequest(settings: OAuthSettings, flow: Flow, code: string): GuardedRequest {
  const isInHeader = settings.mapping.client_authentication === "header";
  return {
    method: "POST",
    url: settings.tokenEndpoint,
    headers: {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
      ...(isInHeader ? { authorization: basicOf(settings) } : {}),
    },
    body: formOf({
      grant_type: "authorization_code",
      code,
      redirect_uri: flow.redirectUri,
      code_verifier: flow.verifier,
      ...(isInHeader ? {} : { client_id: settings.clientId, client_secret: settings.clientSecret }),
    }).toString(),
  };
}

async function accessToken(context: ProviderContext, settings: OAuthSettings, flow: Flow, code: string) {
  const grant = await askJson(context, tokenRequest(settings, flow, code));
  const token = textOf(grant["access_token"]);
  if (token === "") throw new AppError("identity_failed");
  return token;
}

/** A number that JSON cannot keep exactly is no id: two people could have the same one here. */
const subjectOf = (value: unknown): string => textOf(value) || idOf(value);

/**
 * An address is taken over only where a field of the answer says that it is verified: a person who reads its mail can set the account's password, and
 * no other account can register with it.
 */
function emailOf(user: Json, { email_field, email_verified_field }: OAuthMapping): string | undefined {
  if (fieldAt(user, email_verified_field) !== true) return undefined;
  return textOf(fieldAt(user, email_field)) || undefined;
}

function profileOf(user: Json, mapping: OAuthMapping): Profile {
  if (!mayEnter(user, readConditions(mapping.entry_conditions))) throw new AppError("entry_refused");
  return {
    subject: subjectOf(fieldAt(user, mapping.user_id_field)),
    login: textOf(fieldAt(user, mapping.username_field)),
    displayName: textOf(fieldAt(user, mapping.display_name_field)),
    email: emailOf(user, mapping),
  };
}

/** The provider of these settings. */
export const oauthProvider = (settings: OAuthSettings): CodeProvider => ({
  authorizeUrl(_context, { state, verifier, redirectUri }) {
    const page = new URL(settings.authorizationEndpoint);
    const query = formOf({
      response_type: "code",
      client_id: settings.clientId,
      redirect_uri: redirectUri,
      scope: settings.mapping.scopes,
      state,
      code_challenge: challengeOf(verifier),
      code_challenge_method: "S256",
    });
    for (const [name, value] of query) page.searchParams.set(name, value);
    return page.href;
  },
  async profile(context, flow, { code }) {
    const token = await accessToken(context, settings, flow, code);
    const user = await askJson(context, {
      method: "GET",
      url: settings.userInfoEndpoint,
      headers: { accept: "application/json", authorization: `Bearer ${token}` },
    });
    return profileOf(user, settings.mapping);
  },
  test: async (context, redirectUri) => [
    await testTokenRequest(context, tokenRequest(settings, testFlow(redirectUri), NO_CODE)),
  ],
});
