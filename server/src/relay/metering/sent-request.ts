/** A request changed by its channel's override: holds and charges follow the body that is sent, not the one that came. */
import type { Dialect } from "../../dialects/dialect.ts";
import { readTopLevel } from "../../dialects/json/bytes.ts";
import { StringSample } from "../../dialects/json/string-sample.ts";
import { DIALECTS } from "../../dialects/registry.ts";
import type { Call } from "../call/call.ts";
import type { Routes, Target } from "../call/target.ts";
import type { Accepted } from "../request/accepted.ts";
import { coversFor, quoteFor, toolQuota } from "./hold-estimate.ts";
import type { HeldQuota } from "./held-quota.ts";
import { meterOf } from "./meters.ts";
import type { Quote } from "./terms.ts";

/** The request as its upstream has it, for estimates and meters: read as one of the upstream's format. */
export interface SentRequest {
  readonly accepted: Accepted;
  readonly quote: Quote;
}

/** The parts of an admission that are needed to hold for another body. */
interface Admitted {
  readonly quote: Quote;
  readonly routes: Routes;
  readonly hold: HeldQuota;
}

/** What is sent may nest deeper than what clients may send: formats wrap it, and rules add to it. */
export const SENT_DEPTH = 512;

/** The dialect of the target, or OpenAI's where a vendor has words of its own: its bounds may have other names there, the client's hold then. */
function readAs({ dialect }: Target): Dialect {
  return dialect.name === "vendor" ? DIALECTS["openai-chat"] : DIALECTS[dialect.name];
}

function readSent(accepted: Accepted, target: Target): Accepted {
  const dialect = readAs(target);
  const body = target.meteredFields === undefined ? target.body : Buffer.from(JSON.stringify(target.meteredFields));
  const top = readTopLevel(body.toString("latin1"), SENT_DEPTH, new StringSample());
  const info = dialect.readRequest(body, top, accepted.endpoint);
  const isVendors = target.dialect.name === "vendor";
  const own = accepted.info;
  return {
    ...accepted,
    dialect,
    body,
    form: undefined,
    fields: undefined,
    info: {
      ...info,
      // Prices go by the name that the client asked for, as they do where a channel maps it to another.
      model: own.model,
      maxTokens: isVendors ? (info.maxTokens ?? own.maxTokens) : info.maxTokens,
      choices: isVendors ? Math.max(info.choices, own.choices) : info.choices,
    },
  };
}

/**
 * Holds what another request for the same call may cost, where that is more than what is held. Rejects with RelayError: 400 for quantities
 * that no call may have, 403 where the balance does not reach, 503.
 */
export async function holdForRequest(
  call: Call,
  { quote, routes, hold }: Admitted,
  sent: Accepted,
): Promise<SentRequest> {
  const { snapshot } = call.context;
  meterOf(sent.operation).check?.(sent);
  const sentQuote = quoteFor(snapshot, sent, quote.terms, routes, quote.recording);
  const covers = coversFor(snapshot, sent, sentQuote, routes);
  await hold.cover(covers, toolQuota(snapshot, sent, quote.terms));
  return { accepted: sent, quote: sentQuote };
}

/** Quota for the answer to the body that is sent to this target, as far as it can be seen. */
export function quotaForSent(call: Call, { quote, routes }: Admitted, accepted: Accepted, target: Target): number {
  const { snapshot } = call.context;
  const sent = readSent(accepted, target);
  return coversFor(snapshot, sent, quoteFor(snapshot, sent, quote.terms, routes, undefined), routes).bound.quota;
}

/** The same for the body that is sent to this target. Rejects as it does. */
export const holdForSent = (call: Call, admitted: Admitted, accepted: Accepted, target: Target): Promise<SentRequest> =>
  holdForRequest(call, admitted, readSent(accepted, target));
