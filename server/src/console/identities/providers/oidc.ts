/** OpenID Connect sign-in, for the provider of the options and every named one: discovery, PKCE, nonce and signature, by openid-client. */
import * as openid from "openid-client";
import { AppError } from "../../../../../contract/src/errors.ts";
import type { OptionValues } from "../../../../../contract/src/options/options.ts";
import type { OptionTestStep } from "../../../../../contract/src/options/option-tests.ts";
import { failed, ofError, passed } from "../../kit/test-steps.ts";
import { clientStep, NO_CODE, testFlow } from "./client-test.ts";
import { challengeOf, textOf } from "./http.ts";
import type { CodeProvider, Flow, Profile, ProviderContext } from "./provider.ts";

/** Where a provider is and who we are to it. */
export interface OidcSettings {
  clientId: string;
  clientSecret: string;
  /** Address of its description; "" where its three endpoints are given one by one. */
  wellKnown: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  userInfoEndpoint: string;
}

/** Everything the library asks of a provider goes by the address policy, and follows no redirect. */
const guardedFetch =
  ({ relay }: ProviderContext): openid.CustomFetch =>
  async (url, { method, headers, body }) => {
    const text = body === undefined || body === null ? {} : { body: String(body) };
    const answer = await relay.fetchGuarded({ method: method === "POST" ? "POST" : "GET", url, headers, ...text });
    if (answer.status >= 500)
      throw new AppError("identity_unreachable", { message: `${url} answers ${answer.status}` });
    const isBodiless = answer.status === 204 || answer.status === 304;
    return new Response(isBodiless ? null : answer.body, { status: answer.status, headers: plain(answer.headers) });
  };

/** The body is decoded already. */
const plain = ({
  "content-encoding": _coding,
  "content-length": _length,
  ...headers
}: Readonly<Record<string, string>>) => headers;

/**
 * Where only endpoints are known, it is unknown who may issue an ID token, so none is taken: the person is who the user-info endpoint
 * says, asked with the access token that the token endpoint gave us for this code.
 */
function withoutIdToken(fetch: openid.CustomFetch): openid.CustomFetch {
  return async (url, options) => {
    const answer = await fetch(url, options);
    if (options.method !== "POST" || !answer.ok) return answer;
    const { id_token: _token, ...rest } = (await answer.json()) as Record<string, unknown>;
    return Response.json(rest, { status: answer.status });
  };
}

/** The client's secret in the form, as most providers take it; in the head where a provider takes it nowhere else. */
const clientAuthentication =
  (secret: string): openid.ClientAuth =>
  (server, client, body, headers) => {
    const known = server.token_endpoint_auth_methods_supported ?? ["client_secret_post"];
    const authenticate = known.includes("client_secret_post") ? openid.ClientSecretPost : openid.ClientSecretBasic;
    authenticate(secret)(server, client, body, headers);
  };

function described(settings: OidcSettings, fetch: openid.CustomFetch): openid.Configuration {
  const { authorizationEndpoint, tokenEndpoint, userInfoEndpoint } = settings;
  const server = {
    issuer: new URL(tokenEndpoint).origin,
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: tokenEndpoint,
    userinfo_endpoint: userInfoEndpoint,
  };
  const { clientId, clientSecret } = settings;
  const configuration = new openid.Configuration(server, clientId, undefined, clientAuthentication(clientSecret));
  configuration[openid.customFetch] = withoutIdToken(fetch);
  // The operator wrote http, for a provider inside their own network.
  if ([tokenEndpoint, userInfoEndpoint].some((url) => url.startsWith("http:")))
    openid.allowInsecureRequests(configuration);
  return configuration;
}

async function configurationOf(context: ProviderContext, settings: OidcSettings): Promise<openid.Configuration> {
  const fetch = guardedFetch(context);
  if (settings.wellKnown === "") return described(settings, fetch);
  const { clientId, clientSecret, wellKnown } = settings;
  // The library checks signatures only when it is asked to: TLS may do in their place, but a provider may be reached by plain HTTP.
  const checks = [openid.enableNonRepudiationChecks];
  return openid.discovery(new URL(wellKnown), clientId, undefined, clientAuthentication(clientSecret), {
    [openid.customFetch]: fetch,
    execute: wellKnown.startsWith("http:") ? [...checks, openid.allowInsecureRequests] : checks,
  });
}

/** A missing or wrong answer of a provider; the reason is for the operator. */
function asAppError(context: ProviderContext, error: unknown): AppError {
  context.logger.warn({ err: error }, "an OpenID provider did not sign somebody in");
  const causes = error instanceof Error ? [error, error.cause] : [error];
  const isAway = causes.some((cause) => cause instanceof AppError);
  return new AppError(isAway ? "identity_unreachable" : "identity_failed", { cause: error });
}

/** The token has to be for us: with several audiences the library has looked, but a single one may name another party too. */
function checkParty({ azp }: { azp?: openid.JsonValue | undefined }, clientId: string): void {
  if (azp !== undefined && azp !== clientId) throw new Error("the ID token was issued to another client (azp)");
}

async function readProfile(
  configuration: openid.Configuration,
  settings: OidcSettings,
  flow: Flow,
  callback: { code: string; iss: string },
): Promise<Profile> {
  const address = new URL(flow.redirectUri);
  address.searchParams.set("code", callback.code);
  address.searchParams.set("state", flow.state);
  if (callback.iss !== "" && settings.wellKnown !== "") address.searchParams.set("iss", callback.iss);
  const tokens = await openid.authorizationCodeGrant(configuration, address, {
    expectedState: flow.state,
    ...(flow.verifier === "" ? {} : { pkceCodeVerifier: flow.verifier }),
    ...(settings.wellKnown === "" ? {} : { idTokenExpected: true }),
    ...(flow.nonce === "" || settings.wellKnown === "" ? {} : { expectedNonce: flow.nonce }),
  });
  const claims = tokens.claims();
  checkParty(claims ?? {}, settings.clientId);
  const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
  const info = hasUserInfo
    ? await openid.fetchUserInfo(configuration, tokens.access_token, claims?.sub ?? openid.skipSubjectCheck)
    : undefined;
  const facts: Record<string, unknown> = { ...claims, ...info };
  return {
    subject: textOf(facts["sub"]),
    login: textOf(facts["preferred_username"]),
    displayName: textOf(facts["name"]),
    email: facts["email_verified"] === true ? textOf(facts["email"]) : undefined,
  };
}

/** In the provider's own words, where it had some. */
function refusedClient(error: unknown): OptionTestStep {
  if (!(error instanceof openid.ResponseBodyError)) return ofError("client", error);
  return clientStep(error.error, [error.error, error.error_description].filter(Boolean).join(": "));
}

/** In place of a client ID that is not entered yet; it is sent to no provider. */
const NO_CLIENT = "none";

/** Reads the description, and redeems a code that was never issued where client and secret are entered. */
async function testOf(
  context: ProviderContext,
  settings: OidcSettings,
  redirectUri: string,
): Promise<OptionTestStep[]> {
  const isDescribed = settings.wellKnown !== "";
  let configuration: openid.Configuration;
  try {
    configuration = await configurationOf(context, { ...settings, clientId: settings.clientId || NO_CLIENT });
  } catch (error) {
    return [ofError(isDescribed ? "discovery" : "client", error)];
  }
  const discovery = isDescribed ? [passed("discovery")] : [];
  if (settings.clientId === "" || settings.clientSecret === "") return [...discovery, failed("client", "missing")];
  try {
    const { verifier } = testFlow(redirectUri);
    const address = new URL(redirectUri);
    address.searchParams.set("code", NO_CODE);
    await openid.authorizationCodeGrant(configuration, address, { pkceCodeVerifier: verifier });
    return [...discovery, failed("client", "refused", "a code that was never issued was accepted")];
  } catch (error) {
    return [...discovery, refusedClient(error)];
  }
}

/** The provider of these settings. */
export function oidcProvider(settings: OidcSettings): CodeProvider {
  return {
    async authorizeUrl(context, { state, redirectUri, verifier, nonce }) {
      try {
        const configuration = await configurationOf(context, settings);
        return openid.buildAuthorizationUrl(configuration, {
          response_type: "code",
          scope: "openid profile email",
          redirect_uri: redirectUri,
          state,
          nonce,
          code_challenge: challengeOf(verifier),
          code_challenge_method: "S256",
        }).href;
      } catch (error) {
        throw asAppError(context, error);
      }
    },
    async profile(context, flow, callback) {
      try {
        return await readProfile(await configurationOf(context, settings), settings, flow, callback);
      } catch (error) {
        throw asAppError(context, error);
      }
    },
    test: (context, redirectUri) => testOf(context, settings, redirectUri),
  };
}

/** The one of the options. */
export const oidcOfOptions = (options: OptionValues): OidcSettings => ({
  clientId: options["oidc.client_id"],
  clientSecret: options["oidc.client_secret"],
  wellKnown: options["oidc.well_known"],
  authorizationEndpoint: options["oidc.authorization_endpoint"],
  tokenEndpoint: options["oidc.token_endpoint"],
  userInfoEndpoint: options["oidc.user_info_endpoint"],
});
