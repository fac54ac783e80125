/** Stripe's own client library, loaded with the first payment, whose requests follow the address policy like all others of the console. */
import type StripeApi from "stripe";
import { addressOf } from "../../http/handlers.ts";
import type { GuardedRequest } from "../../relay-tools.ts";
import type { WalletContext } from "../payment-method.ts";

/** https://docs.stripe.com/api */
const STRIPE_API = "https://api.stripe.com";

const TIMEOUT_MS = 20_000;
/** A Checkout session is some kilobytes. */
const MOST_BYTES = 1024 * 1024;

/** A `fetch` for Stripe's library that the policy of outgoing requests stands before. */
function guardedFetch({ fetchGuarded }: WalletContext["relay"]): typeof fetch {
  return async (input, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers));
    // The body is sent with its own length.
    delete headers["content-length"];
    const request: GuardedRequest = {
      method: init?.method === "POST" ? "POST" : "GET",
      url: String(input),
      headers,
      ...(typeof init?.body === "string" && init.body !== "" ? { body: init.body } : {}),
      limits: { bytes: MOST_BYTES, timeoutMs: TIMEOUT_MS },
    };
    const answer = await fetchGuarded(request);
    return new Response(answer.body, { status: answer.status, headers: answer.headers });
  };
}

const loadStripe = async () => (await import("stripe")).default;

/** Stripe's API with the site's secret key. */
export async function stripeApi({ snapshot, site, relay }: WalletContext): Promise<StripeApi> {
  const Stripe = await loadStripe();
  const { protocol, hostname, port } = new URL(addressOf(site, STRIPE_API));
  return new Stripe(snapshot.options.StripeSecretKey, {
    protocol: protocol === "http:" ? "http" : "https",
    host: hostname,
    port: port === "" ? (protocol === "http:" ? 80 : 443) : port,
    httpClient: Stripe.createFetchHttpClient(guardedFetch(relay)),
    timeout: TIMEOUT_MS,
    telemetry: false,
  });
}

/** The event in a body that Stripe signed. Throws where the signature is not that of the secret, or older than five minutes. */
export async function signedEvent(body: string, signature: string, secret: string): Promise<unknown> {
  const Stripe = await loadStripe();
  return Stripe.webhooks.constructEvent(body, signature, secret);
}
