/** Linux DO Connect sign-in: OAuth 2.0 with client credentials in the header; users are identified by their numeric id. */
import { AppError } from "../../../../../contract/src/errors.ts";
import { addressOf } from "../../http/handlers.ts";
import type { GuardedRequest } from "../../relay-tools.ts";
import { askJson, formOf, idOf, textOf, type Json } from "./http.ts";
import { NO_CODE, testFlow, testTokenRequest } from "./client-test.ts";
import type { CodeProvider, Flow, ProviderContext } from "./provider.ts";

const SITE = "https://connect.linux.do";

/** Of Discourse, 0 to 4 (https://meta.discourse.org/t/-/90752); 0 where the site does not say. */
const trustLevelOf = ({ trust_level: level }: Json): number => (typeof level === "number" ? level : 0);

function tokenRequest({ site, snapshot }: ProviderContext, { redirectUri }: Flow, code: string): GuardedRequest {
  const { LinuxDOClientId, LinuxDOClientSecret } = snapshot.options;
  const credentials = Buffer.from(`${LinuxDOClientId}:${LinuxDOClientSecret}`).toString("base64");
  return {
    method: "POST",
    url: `${addressOf(site, SITE)}/oauth2/token`,
    headers: {
      accept: "application/json",
      authorization: `Basic ${credentials}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: formOf({ grant_type: "authorization_code", code, redirect_uri: redirectUri }).toString(),
  };
}

export const linuxdo: CodeProvider = {
  authorizeUrl(context, { state, redirectUri }) {
    const query = formOf({
      response_type: "code",
      client_id: context.snapshot.options.LinuxDOClientId,
      redirect_uri: redirectUri,
      state,
    });
    return `${addressOf(context.site, SITE)}/oauth2/authorize?${query.toString()}`;
  },
  async profile(context, flow, { code }) {
    const { LinuxDOMinimumTrustLevel } = context.snapshot.options;
    const grant = await askJson(context, tokenRequest(context, flow, code));
    const token = textOf(grant["access_token"]);
    if (token === "") throw new AppError("identity_failed");
    const user = await askJson(context, {
      method: "GET",
      url: `${addressOf(context.site, SITE)}/api/user`,
      headers: { accept: "application/json", authorization: `Bearer ${token}` },
    });
    // Whether its e-mail addresses are verified it does not say.
    return {
      subject: idOf(user["id"]),
      login: textOf(user["username"]),
      displayName: textOf(user["name"]),
      email: undefined,
      newAccountRefusal: trustLevelOf(user) < LinuxDOMinimumTrustLevel ? "trust_level_low" : undefined,
    };
  },
  test: async (context, redirectUri) => [
    await testTokenRequest(context, tokenRequest(context, testFlow(redirectUri), NO_CODE)),
  ],
};
