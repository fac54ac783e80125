/** DingTalk sign-in: an authorization code with fields of DingTalk's own; users are identified by their unionId, which all apps of one organization share (https://open.dingtalk.com/document/orgapp/obtain-identity-credentials). */
import { AppError } from "../../../../../contract/src/errors.ts";
import { addressOf } from "../../http/handlers.ts";
import type { GuardedRequest } from "../../relay-tools.ts";
import { askJson, formOf, textOf } from "./http.ts";
import { NO_CODE, testFlow, testTokenRequest } from "./client-test.ts";
import type { CodeProvider, Flow, ProviderContext } from "./provider.ts";

const SITE = "https://login.dingtalk.com";
const API = "https://api.dingtalk.com";

function tokenRequest({ site, snapshot }: ProviderContext, _flow: Flow, code: string): GuardedRequest {
  return {
    method: "POST",
    url: `${addressOf(site, API)}/v1.0/oauth2/userAccessToken`,
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify({
      clientId: snapshot.options.DingTalkClientId,
      clientSecret: snapshot.options.DingTalkClientSecret,
      code,
      grantType: "authorization_code",
    }),
  };
}

export const dingtalk: CodeProvider = {
  // It has no PKCE: its clients have a secret, and the state is bound to the browser.
  authorizeUrl(context, { state, redirectUri }) {
    const query = formOf({
      redirect_uri: redirectUri,
      response_type: "code",
      client_id: context.snapshot.options.DingTalkClientId,
      scope: "openid",
      state,
      prompt: "consent",
    });
    return `${addressOf(context.site, SITE)}/oauth2/auth?${query.toString()}`;
  },
  async profile(context, flow, { code }) {
    const grant = await askJson(context, tokenRequest(context, flow, code));
    const token = textOf(grant["accessToken"]);
    if (token === "") throw new AppError("identity_failed");
    const user = await askJson(context, {
      method: "GET",
      url: `${addressOf(context.site, API)}/v1.0/contact/users/me`,
      headers: { accept: "application/json", "x-acs-dingtalk-access-token": token },
    });
    // Whether addresses are verified it does not say.
    const name = textOf(user["nick"]);
    return { subject: textOf(user["unionId"]), login: name, displayName: name, email: undefined };
  },
  test: async (context, redirectUri) => [
    await testTokenRequest(context, tokenRequest(context, testFlow(redirectUri), NO_CODE)),
  ],
};
