/** The body where client and upstream speak one format: the client's own bytes, of which a few top-level fields may differ. */
import { overrideOf } from "../../channels/overrides/override.ts";
import { JsonFault } from "../../dialects/json/bytes.ts";
import { patchTopLevel } from "../../dialects/json/patch.ts";
import { SIGNATURE_MARKS } from "../../dialects/neutral/signature.ts";
import { forcedStreamOptions } from "../../dialects/openai-chat/request-info.ts";
import { DIALECTS } from "../../dialects/registry.ts";
import type { Provider } from "../../providers/provider.ts";
import { surchargeWarning, surchargedFields } from "../metering/surcharges.ts";
import { type Accepted, bodyFields } from "../request/accepted.ts";
import { OPERATIONS } from "../request/operations.ts";
import type { Attempt } from "./attempts.ts";
import { type TargetBody, applyQuirks } from "./quirks.ts";

const takesStreamOptions = ({ isStream, operation, dialect }: Accepted, { manifest }: Provider): boolean =>
  isStream &&
  OPERATIONS[operation].takesStreamOptions === true &&
  dialect === DIALECTS["openai-chat"] &&
  manifest.supportsStreamUsage;

/** What goes on in place of the client's stream options. Throws RelayError 400 where those are no JSON inside. */
function streamOptions(accepted: Accepted): string | undefined {
  try {
    return forcedStreamOptions(accepted.body, accepted.info);
  } catch (fault) {
    if (fault instanceof JsonFault) bodyFields(accepted);
    throw fault;
  }
}

/** The few top-level fields that may differ where the client's own bytes go on. */
function editsFor({ attempts, channel, provider }: Attempt, upstreamModel: string): Map<string, string | null> {
  const { accepted } = attempts;
  const { body, dialect, endpoint, info } = accepted;
  const edits = new Map<string, string | null>();
  if (endpoint.dialect !== "gemini" && upstreamModel !== info.model) edits.set("model", JSON.stringify(upstreamModel));
  if (takesStreamOptions(accepted, provider)) {
    const options = streamOptions(accepted);
    if (options !== undefined) edits.set("stream_options", options);
  }
  if (dialect.withoutForeignProofs !== undefined && SIGNATURE_MARKS.some((mark) => body.includes(mark))) {
    const replaced = dialect.withoutForeignProofs(bodyFields(accepted));
    for (const [name, value] of Object.entries(replaced)) edits.set(name, JSON.stringify(value));
  }
  for (const [name, text] of overrideOf(channel.paramOverride).plainTexts) edits.set(name, text);
  return edits;
}

/** The client's bytes with the upstream's model, the channel's parameters and the provider's quirks. Throws RelayError 400 for bytes that are no JSON inside. */
export function passthroughBody(attempt: Attempt, upstreamModel: string): TargetBody {
  const { body, info, dialect } = attempt.attempts.accepted;
  const left = surchargedFields(body, info.top, dialect.name, attempt.channel, attempt.provider.manifest);
  const edits = editsFor(attempt, upstreamModel);
  // What the channel itself sets is the operator's own wish.
  for (const field of left) if (!edits.has(field)) edits.set(field, null);
  const { warnings, ...rest } = applyQuirks(patchTopLevel(body, info.top, edits), attempt, dialect, upstreamModel);
  return { ...rest, warnings: [...left.map(surchargeWarning), ...warnings] };
}
