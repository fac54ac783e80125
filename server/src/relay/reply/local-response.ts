/** Calls that need no upstream: tokens counted for a format that no channel of the model counts in. */
import { mappedModel } from "../../../../contract/src/channels/model-mapping.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/relay-error.ts";
import { type Routes, routableChannels } from "../call/target.ts";
import type { Accepted } from "../request/accepted.ts";
import type { Delivery } from "./delivery.ts";

/** A cloud platform counts in the formats of some of its models alone. */
function isCountedUpstream({ snapshot, providers }: RelayContext, accepted: Accepted, routes: Routes): boolean {
  const { dialect, model } = accepted;
  return routableChannels(snapshot, routes).some((channel) => {
    const provider = providers.byType(channel.type);
    if (provider?.manifest.operations.includes("count_tokens") !== true) return false;
    const named = mappedModel(channel.modelMapping, model) ?? model;
    return (provider.dialectsOf?.(named, channel) ?? provider.manifest.dialects).includes(dialect.name);
  });
}

/** True where no upstream is to be asked. */
export const isAnsweredLocally = ({ call, accepted, admission }: Delivery): boolean =>
  accepted.operation === "count_tokens" && !isCountedUpstream(call.context, accepted, admission.routes);

/** What upstreams answer that lack the address: servers made after a vendor's often serve its answers alone. */
const LACKS_ADDRESS: ReadonlySet<number> = new Set([404, 405, 501]);

/** True where an upstream was asked for something that we do where it does not. */
export const isUnserved = ({ operation, endpoint }: Accepted, error: unknown): boolean =>
  (operation === "count_tokens" || endpoint.compacts === true) &&
  error instanceof RelayError &&
  LACKS_ADDRESS.has(error.status);

const ESTIMATED = "the number of tokens is an estimate of the gateway";

/** Answers with our estimate, as docs/billing.md says, and names it one. */
export async function answerLocally(delivery: Delivery): Promise<void> {
  const { accepted, admission } = delivery;
  const { tokenCount } = accepted.dialect;
  // Only formats with an address for it have the operation.
  if (tokenCount === undefined) throw new RelayError("api_not_implemented");
  await admission.hold.release();
  delivery.writeText(200, {}, JSON.stringify(tokenCount(admission.quote.promptTokens)), [ESTIMATED]);
}
