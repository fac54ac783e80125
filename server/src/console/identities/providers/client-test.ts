/** Tests the client of a sign-in provider without a user: redeems a code that was never issued, and reads from the refusal whether client and secret are known. */
import type { OptionTestStep } from "../../../../../contract/src/options/option-tests.ts";
import type { GuardedRequest } from "../../relay-tools.ts";
import { failed, ofError, passed } from "../../kit/test-steps.ts";
import { textOf } from "./http.ts";
import type { Flow, ProviderContext } from "./provider.ts";

/** No site has issued it. */
export const NO_CODE = "turnpike-settings-test";

/** The flow in which it is redeemed; a verifier has at least 43 characters (RFC 7636, 4.1). */
export const testFlow = (redirectUri: string): Flow => ({
  state: NO_CODE,
  redirectUri,
  verifier: NO_CODE.padEnd(43, "0"),
  nonce: "",
});

/**
 * Refusals of the code, which a site examines only after it has authenticated the client (RFC 6749, 5.2), and GitHub's own name of it
 * (https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors), and DingTalk's.
 */
const CODE_REFUSED: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_request",
  "bad_verification_code",
  "invalidParameter.authCode.notFound",
]);
const CLIENT_REFUSED: ReadonlySet<string> = new Set([
  "invalid_client",
  "unauthorized_client",
  "incorrect_client_credentials",
]);
const REDIRECT_REFUSED: ReadonlySet<string> = new Set(["redirect_uri_mismatch", "invalid_redirect_uri"]);

/** The step `client` of a refusal. @param error its code; "" where the site gave none. @param answer its own words */
export function clientStep(error: string, answer: string): OptionTestStep {
  if (CODE_REFUSED.has(error)) return passed("client");
  if (CLIENT_REFUSED.has(error)) return failed("client", "client_refused", answer);
  return failed("client", REDIRECT_REFUSED.has(error) ? "redirect_refused" : "refused", answer);
}

/** What a site without a known error said: the beginning of its answer. */
const BEGINNING = 300;
const UNAUTHORIZED = 401;

/** Sites answer in JSON, and some in a form although they were asked for JSON; DingTalk has names of its own. */
function fieldsOf(body: string): { error: string; description: string; token: string } {
  const read = (field: (name: string) => unknown) => ({
    error: textOf(field("error")) || textOf(field("code")),
    description: textOf(field("error_description")) || textOf(field("message")),
    token: textOf(field("access_token")) || textOf(field("accessToken")),
  });
  try {
    const json: unknown = JSON.parse(body);
    const fields = typeof json === "object" && json !== null ? (json as Readonly<Record<string, unknown>>) : {};
    return read((name) => fields[name]);
  } catch {
    const form = new URLSearchParams(body);
    return read((name) => form.get(name));
  }
}

/** Sends a site's token request with the code that was never issued; bounded as every guarded request. */
export async function testTokenRequest(context: ProviderContext, request: GuardedRequest): Promise<OptionTestStep> {
  try {
    const { status, body } = await context.relay.fetchGuarded(request);
    const { error, description, token } = fieldsOf(body);
    if (token !== "") return failed("client", "refused", "a code that was never issued was accepted");
    const words = [error, description].filter((part) => part !== "").join(": ");
    const answer = words === "" ? `status ${status} ${body.slice(0, BEGINNING)}`.trim() : words;
    return clientStep(error === "" && status === UNAUTHORIZED ? "invalid_client" : error, answer);
  } catch (error) {
    return ofError("client", error);
  }
}
