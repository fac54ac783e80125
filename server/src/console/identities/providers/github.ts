/** GitHub sign-in: OAuth app with PKCE; users are identified by their numeric id, since a login may be renamed and reused. */
import { AppError } from "../../../../../contract/src/errors.ts";
import { addressOf } from "../../http/handlers.ts";
import type { GuardedRequest } from "../../relay-tools.ts";
import { askJson, challengeOf, formOf, idOf, textOf } from "./http.ts";
import { NO_CODE, testFlow, testTokenRequest } from "./client-test.ts";
import type { CodeProvider, Flow, ProviderContext } from "./provider.ts";

const SITE = "https://github.com";
const API = "https://api.github.com";
const API_HEADERS = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" } as const;

type EmailRow = { email?: unknown; primary?: unknown; verified?: unknown };

/** Nothing where it is no list: an account goes without an address rather than not at all. */
function listOf(body: string): EmailRow[] {
  try {
    const list: unknown = JSON.parse(body);
    return Array.isArray(list) ? list.filter((row): row is EmailRow => typeof row === "object" && row !== null) : [];
  } catch {
    return [];
  }
}

/** The verified main address, where GitHub gives it: without the scope `user:email` it does not. */
async function verifiedEmail(context: ProviderContext, token: string): Promise<string | undefined> {
  const url = `${addressOf(context.site, API)}/user/emails`;
  const headers = { ...API_HEADERS, authorization: `Bearer ${token}` };
  const answer = await context.relay.fetchGuarded({ method: "GET", url, headers }).catch(() => undefined);
  const addresses = answer?.status === 200 ? listOf(answer.body) : [];
  const main = addresses.find(({ primary, verified }) => primary === true && verified === true);
  return textOf(main?.email) || undefined;
}

function tokenRequest({ site, snapshot }: ProviderContext, { verifier }: Flow, code: string): GuardedRequest {
  const { GitHubClientId, GitHubClientSecret } = snapshot.options;
  return {
    method: "POST",
    url: `${addressOf(site, SITE)}/login/oauth/access_token`,
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify({
      client_id: GitHubClientId,
      client_secret: GitHubClientSecret,
      code,
      ...(verifier === "" ? {} : { code_verifier: verifier }),
    }),
  };
}

export const github: CodeProvider = {
  authorizeUrl(context, { state, verifier, redirectUri }) {
    const query = formOf({
      client_id: context.snapshot.options.GitHubClientId,
      redirect_uri: redirectUri,
      scope: "user:email",
      state,
      code_challenge: challengeOf(verifier),
      code_challenge_method: "S256",
    });
    return `${addressOf(context.site, SITE)}/login/oauth/authorize?${query.toString()}`;
  },
  async profile(context, flow, { code }) {
    // A refused code is an answer of status 200 without a token.
    const grant = await askJson(context, tokenRequest(context, flow, code));
    const token = textOf(grant["access_token"]);
    if (token === "") throw new AppError("identity_failed");
    const user = await askJson(context, {
      method: "GET",
      url: `${addressOf(context.site, API)}/user`,
      headers: { ...API_HEADERS, authorization: `Bearer ${token}` },
    });
    return {
      subject: idOf(user["id"]),
      login: textOf(user["login"]),
      displayName: textOf(user["name"]),
      email: await verifiedEmail(context, token),
    };
  },
  test: async (context, redirectUri) => [
    await testTokenRequest(context, tokenRequest(context, testFlow(redirectUri), NO_CODE)),
  ],
};
