/** For tests: a certified OpenID provider (oidc-provider) on a free port; whoever types a name into its page is that person. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export interface OpenidProvider {
  issuer: string;
  wellKnown: string;
  close(): Promise<void>;
}

export const OPENID_CLIENT = { id: "turnpike", secret: "secret-of-the-test-client" } as const;

/** @param redirectUris where it may lead back to. */
export async function startOpenidProvider(redirectUris: () => readonly string[]): Promise<OpenidProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
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
      }),
    }),
  });
  const listener = provider.callback();
  server.on("request", (request, response) => void listener(request, response));
  return {
    issuer,
    wellKnown: `${issuer}/.well-known/openid-configuration`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
