/** A certified OpenID provider (oidc-provider) on a free port, for tests; a name typed into its page signs in as that user. It can be made to lie. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT, exportJWK, generateKeyPair } from "jose";
import type { JWTPayload } from "jose";
import Provider from "oidc-provider";

export interface OpenidProvider {
  issuer: string;
  wellKnown: string;
  /** What its token endpoint hands out in place of a right ID token; undefined: the right one. */
  forge: ((idToken: string) => string | Promise<string>) | undefined;
  /** Claims that its user-info endpoint and its tokens say beside the usual ones. */
  claims: Record<string, unknown>;
  /** What its address of keys answers; 200 with them. */
  keysStatus: number;
  /** A token with its own signature over these claims. */
  sign(claims: JWTPayload): Promise<string>;
  /** How often its keys were asked for. */
  keysAsked: number;
  /** Goes through its pages as a user. Returns the parameters of the callback address. */
  agree(authorizeUrl: string, name: string): Promise<Record<string, string>>;
  close(): Promise<void>;
}

export const OPENID_CLIENT = { id: "turnpike", secret: "secret-of-the-test-client" } as const;

/** A browser at the provider's pages: keeps cookies, follows redirects as far as the provider's own address reaches. */
async function walk(issuer: string, authorizeUrl: string, name: string): Promise<Record<string, string>> {
  const cookies = new Map<string, string>();
  let [address, form]: [string, Record<string, string> | undefined] = [authorizeUrl, undefined];
  const forms = [{ prompt: "login", login: name, password: "any" }, { prompt: "consent" }];
  while (address.startsWith(issuer)) {
    const response: Response = await fetch(address, {
      method: form === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join("; ") },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    for (const header of response.headers.getSetCookie()) {
      const [pair = ""] = header.split(";");
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    const location = response.headers.get("location");
    form = location === null ? forms.shift() : undefined;
    if (location === null && form === undefined) throw new Error(`the provider stopped at ${address}`);
    address = location === null ? address : new URL(location, issuer).href;
  }
  return Object.fromEntries(new URL(address).searchParams);
}

/** @param redirectUris where it may lead back to. */
export async function startOpenidProvider(redirectUris: () => readonly string[]): Promise<OpenidProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lies: Pick<OpenidProvider, "forge" | "claims" | "keysStatus" | "keysAsked"> = {
    forge: undefined,
    claims: {},
    keysStatus: 200,
    keysAsked: 0,
  };
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const kid = "key-of-the-provider";
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, use: "sig", alg: "RS256" }] },
    clients: [
      {
        client_id: OPENID_CLIENT.id,
        client_secret: OPENID_CLIENT.secret,
        redirect_uris: [...redirectUris()],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    claims: {
      openid: ["sub"],
      profile: ["name", "preferred_username"],
      email: ["email", "email_verified"],
    },
    pkce: { required: () => true },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({
        sub,
        name: `Name of ${sub}`,
        preferred_username: sub,
        email: `${sub}@openid.example`,
        email_verified: true,
        ...lies.claims,
      }),
    }),
  });
  provider.use(async (call, next) => {
    if (call.path === "/jwks") lies.keysAsked += 1;
    if (call.path === "/jwks" && lies.keysStatus !== 200) {
      call.status = lies.keysStatus;
      return;
    }
    await next();
    const answer = call.body as { id_token?: string } | undefined;
    if (call.path === "/token" && answer?.id_token !== undefined && lies.forge !== undefined)
      answer.id_token = await lies.forge(answer.id_token);
  });
  const listener = provider.callback();
  server.on("request", (request, response) => void listener(request, response));
  return Object.assign(lies, {
    issuer,
    wellKnown: `${issuer}/.well-known/openid-configuration`,
    sign: (claims: JWTPayload) => new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey),
    agree: (authorizeUrl: string, name: string) => walk(issuer, authorizeUrl, name),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
