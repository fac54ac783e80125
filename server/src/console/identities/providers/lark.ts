/** Lark and Feishu sign-in: OAuth 2.0 with PKCE; users are identified by their open_id, which belongs to the operator's app (https://open.feishu.cn/document/authentication-management/access-token/get-user-access-token). */
import { AppError } from "../../../../../contract/src/errors.ts";
import { addressOf } from "../../http/handlers.ts";
import type { GuardedRequest } from "../../relay-tools.ts";
import { askJson, challengeOf, formOf, type Json, textOf } from "./http.ts";
import { NO_CODE, testFlow, testTokenRequest } from "./client-test.ts";
import type { CodeProvider, Flow, ProviderContext } from "./provider.ts";

/** Feishu serves accounts in mainland China, Lark all others; an app is of one of them. */
const SITES = {
  feishu: { accounts: "https://accounts.feishu.cn", api: "https://open.feishu.cn" },
  lark: { accounts: "https://accounts.larksuite.com", api: "https://open.larksuite.com" },
} as const;

const siteOf = ({ snapshot }: ProviderContext): (typeof SITES)[keyof typeof SITES] => SITES[snapshot.options.LarkSite];

function tokenRequest(context: ProviderContext, { verifier, redirectUri }: Flow, code: string): GuardedRequest {
  const { LarkClientId, LarkClientSecret } = context.snapshot.options;
  return {
    method: "POST",
    url: `${addressOf(context.site, siteOf(context).api)}/open-apis/authen/v2/oauth/token`,
    headers: { accept: "application/json", "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify({
      grant_type: "authorization_code",
      client_id: LarkClientId,
      client_secret: LarkClientSecret,
      code,
      redirect_uri: redirectUri,
      ...(verifier === "" ? {} : { code_verifier: verifier }),
    }),
  };
}

const fieldsOf = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});

export const lark: CodeProvider = {
  authorizeUrl(context, { state, verifier, redirectUri }) {
    const query = formOf({
      client_id: context.snapshot.options.LarkClientId,
      response_type: "code",
      redirect_uri: redirectUri,
      state,
      code_challenge: challengeOf(verifier),
      code_challenge_method: "S256",
    });
    return `${addressOf(context.site, siteOf(context).accounts)}/open-apis/authen/v1/authorize?${query.toString()}`;
  },
  async profile(context, flow, { code }) {
    const grant = await askJson(context, tokenRequest(context, flow, code));
    const token = textOf(grant["access_token"]);
    if (token === "") throw new AppError("identity_failed");
    const answer = await askJson(context, {
      method: "GET",
      url: `${addressOf(context.site, siteOf(context).api)}/open-apis/authen/v1/user_info`,
      headers: { accept: "application/json", authorization: `Bearer ${token}` },
    });
    // A refusal has status 200 and no data. Whether addresses are verified it does not say.
    const user = fieldsOf(answer["data"]);
    const name = textOf(user["name"]);
    return {
      subject: textOf(user["open_id"]),
      login: textOf(user["en_name"]) || name,
      displayName: name,
      email: undefined,
    };
  },
  test: async (context, redirectUri) => [
    await testTokenRequest(context, tokenRequest(context, testFlow(redirectUri), NO_CODE)),
  ],
};
