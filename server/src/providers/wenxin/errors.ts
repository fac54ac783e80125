/** Failures of Wenxin, which come with a status of success (cloud.baidu.com/doc/WENXINWORKSHOP/s/tlmyncueh), and those of the exchange of keys. */
import { objectOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import { readCodedFailure } from "../../dialects/neutral/failure.ts";
import type { SideAnswer } from "../outgoing.ts";
import { ProviderFault } from "../provider-fault.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  "1": "overloaded",
  "2": "overloaded",
  "3": "invalid",
  "4": "rate",
  "6": "auth",
  "13": "auth",
  "14": "auth",
  "15": "auth",
  "17": "quota",
  "18": "rate",
  "19": "quota",
  "100": "auth",
  // A token that has ended: with kind auth a new one is asked for.
  "110": "auth",
  "111": "auth",
  "336000": "overloaded",
  "336001": "invalid",
  "336002": "invalid",
  "336003": "invalid",
  "336004": "auth",
  "336005": "invalid",
  "336006": "invalid",
  "336007": "invalid",
  "336100": "overloaded",
  "336101": "invalid",
  "336103": "invalid",
  "336104": "invalid",
  "336105": "invalid",
  "336200": "overloaded",
  "336501": "rate",
  "336502": "rate",
};

/** The exchange of keys has OAuth's envelope: `{error, error_description}`. */
function read(parsed: unknown): { message: string; code: string } {
  const { error_code: code, error_msg: message, error, error_description: description } = objectOf(parsed);
  return { message: textOf(message) || textOf(description), code: String(code ?? error ?? "") };
}

export const failure = (status: number, body: string): UpstreamFailure =>
  readCodedFailure(status, body, read, (code) => ownOf(KINDS, code));

/** Quotes inside an answer's text are escaped, so this name is a key. */
export const isFailure = (text: string): boolean => /"error_code"\s*:\s*[1-9]/.test(text);

const OF_KEY: ReadonlySet<string> = new Set(["invalid_client", "unauthorized_client", "invalid_grant"]);

/** What an exchange without a token was answered. */
export function refusedExchange({ status, text }: SideAnswer): ProviderFault {
  const kindOf = (code: string): UpstreamErrorKind => (OF_KEY.has(code) ? "auth" : "overloaded");
  return new ProviderFault(readCodedFailure(status, text, read, kindOf));
}
