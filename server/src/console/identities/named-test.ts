/** The test of a named provider as it is typed, before it is saved: whether it knows this site, without sending a stored secret anywhere else. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { OptionTestStep } from "../../../../contract/src/options/option-tests.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { passed, withoutSecrets } from "../kit/test-steps.ts";
import { redirectUriOf } from "./flow.ts";
import { checkedEndpoints, checkedMapping, existing, type SentProvider } from "./named.ts";
import { type ProviderRow, sealSecret, settingsOf } from "./named-store.ts";
import { oauthProvider } from "./providers/oauth2.ts";
import { oidcOf } from "./providers/registry.ts";

type Sent = SentProvider & { id: number; slug: string };

/** The addresses that a secret goes to, directly or by the provider's description. */
const placesOf = (endpoints: string): string => {
  const { well_known, token_endpoint } = JSON.parse(endpoints) as Readonly<Record<string, string>>;
  return JSON.stringify([well_known, token_endpoint]);
};

/** The sealed secret to test with. Throws option_secret_needed where the stored one would go to another address. */
function cipherOf({ secrets }: ConsoleContext, sent: Sent, endpoints: string, row: ProviderRow | undefined): string {
  const slug = row?.slug ?? sent.slug;
  if (sent.client_secret !== "") return sealSecret(secrets, slug, sent.client_secret);
  if (row === undefined) throw new AppError("invalid_field", { field: "client_secret" });
  if (placesOf(row.endpoints) !== placesOf(endpoints))
    throw new AppError("option_secret_needed", { field: "client_secret" });
  return row.client_secret_cipher;
}

/**
 * Reads the description where there is one, and redeems a code that was never issued; stores nothing. The stored row is read once: its
 * secret goes where this row says.
 * @throws AppError not_found, option_secret_needed, and what saving the same values throws.
 */
export async function testProvider(
  context: ConsoleContext,
  request: RequestFacts,
  sent: Sent,
): Promise<OptionTestStep[]> {
  const row = sent.id === 0 ? undefined : await existing(context, sent.id);
  const slug = row?.slug ?? sent.slug;
  const endpoints = await checkedEndpoints(context, sent);
  const tested = {
    slug,
    client_id: sent.client_id,
    client_secret_cipher: cipherOf(context, sent, endpoints, row),
    endpoints,
    oauth: checkedMapping(sent),
  };
  const settings = settingsOf(context.secrets, tested);
  const provider = "mapping" in settings ? oauthProvider(settings) : await oidcOf(settings);
  const redirectUri = redirectUriOf(context, request, slug);
  const steps = [...(await provider.test(context, redirectUri)), passed("redirect", redirectUri)];
  return steps.map((step) => withoutSecrets(step, [settings.clientSecret]));
}
