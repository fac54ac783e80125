/** Vertex's last step: Claude's body in its envelope, then who is asking (platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai). */
import { cloudBetas, cloudBody } from "../../dialects/anthropic-messages/vendors/cloud.ts";
import type { OutgoingRequest } from "../outgoing.ts";
import type { BeforeSend, ProviderCall, ProviderChannel } from "../provider.ts";
import { ProviderFault } from "../provider-fault.ts";
import { regionOf } from "./endpoint.ts";
import { claudeId, familyOf } from "./models.ts";
import { accountOf, authorization } from "./token.ts";

const CLAUDE_VERSION = "vertex-2023-10-16";

/** The channel cannot do this; another one may. */
const unfit = (code: string, message: string): ProviderFault =>
  new ProviderFault({ kind: "invalid", status: 400, isRetryable: true, message, type: "invalid_request_error", code });

function check(channel: ProviderChannel, call: ProviderCall): void {
  const isDocument = channel.key.trimStart().startsWith("{");
  if (isDocument && regionOf(channel, call) === undefined)
    throw unfit("malformed_region", "the channel's region must be like us-central1, or JSON with a default");
  if (!isDocument && familyOf(call.model) !== "google")
    throw unfit("key_has_no_project", "an API key serves Google's own models; this one wants a service account");
  if (!isDocument && call.operation === "models")
    throw unfit("key_has_no_project", "the list of models wants a service account");
}

/** Claude's model stands in the path, and for a count in the body. */
function claudeRequest(request: OutgoingRequest, call: ProviderCall): OutgoingRequest {
  const { betas, warnings } = cloudBetas(call, "Vertex AI");
  const isCount = call.operation === "count_tokens";
  const envelope = isCount ? { left: [], model: claudeId(call.model) } : { left: ["model"] };
  const headers = betas.length === 0 ? request.headers : [...request.headers, "anthropic-beta", betas.join(",")];
  const body = cloudBody(request.body, { version: CLAUDE_VERSION, ...envelope });
  return { ...request, headers, body, ...(warnings.length === 0 ? {} : { warnings }) };
}

export const beforeSend: BeforeSend = async (request, channel, call, tools) => {
  check(channel, call);
  const isClaude = familyOf(call.model) === "claude" && accountOf(channel.key) !== undefined;
  const made = isClaude ? claudeRequest(request, call) : request;
  return { ...made, headers: [...made.headers, ...(await authorization(channel.key, tools))] };
};
