/** Discord sign-in: OAuth 2.0 with the secret in the form; users are identified by their snowflake, since a name may be changed (https://docs.discord.com/developers/topics/oauth2). */
import { AppError } from "../../../../../contract/src/errors.ts";
import { addressOf } from "../../http/handlers.ts";
import type { GuardedRequest } from "../../relay-tools.ts";
import { askJson, formOf, textOf } from "./http.ts";
import { NO_CODE, testFlow, testTokenRequest } from "./client-test.ts";
import type { CodeProvider, Flow, ProviderContext } from "./provider.ts";

const SITE = "https://discord.com";

/** A snowflake comes as text, since it has more digits than numbers of JSON keep (https://docs.discord.com/developers/reference#snowflakes). */
const snowflakeOf = (value: unknown): string => (/^[1-9]\d{0,19}$/.test(textOf(value)) ? textOf(value) : "");

function tokenRequest({ site, snapshot }: ProviderContext, { redirectUri }: Flow, code: string): GuardedRequest {
  return {
    method: "POST",
    url: `${addressOf(site, SITE)}/api/oauth2/token`,
    headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    body: formOf({
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      client_id: snapshot.options["discord.client_id"],
      client_secret: snapshot.options["discord.client_secret"],
    }).toString(),
  };
}

export const discord: CodeProvider = {
  // PKCE is for its public clients: https://arcticjs.dev/providers/discord. Ours has a secret, and a state that is bound to the browser.
  authorizeUrl(context, { state, redirectUri }) {
    const query = formOf({
      response_type: "code",
      client_id: context.snapshot.options["discord.client_id"],
      redirect_uri: redirectUri,
      scope: "identify email",
      state,
    });
    return `${addressOf(context.site, SITE)}/oauth2/authorize?${query.toString()}`;
  },
  async profile(context, flow, { code }) {
    const grant = await askJson(context, tokenRequest(context, flow, code));
    const token = textOf(grant["access_token"]);
    if (token === "") throw new AppError("identity_failed");
    const user = await askJson(context, {
      method: "GET",
      url: `${addressOf(context.site, SITE)}/api/users/@me`,
      headers: { accept: "application/json", authorization: `Bearer ${token}` },
    });
    return {
      subject: snowflakeOf(user["id"]),
      login: textOf(user["username"]),
      displayName: textOf(user["global_name"]),
      email: user["verified"] === true ? textOf(user["email"]) || undefined : undefined,
    };
  },
  test: async (context, redirectUri) => [
    await testTokenRequest(context, tokenRequest(context, testFlow(redirectUri), NO_CODE)),
  ],
};
