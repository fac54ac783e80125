/** A provider's last step before its request is sent, where it has one: tokens, signatures, uploads of files; part of step 6. */
import { parseObject } from "../../dialects/json/fields.ts";
import type { UpstreamFailure } from "../../providers/provider.ts";
import type { OutgoingRequest, SendTools } from "../../providers/outgoing.ts";
import { ProviderFault } from "../../providers/provider-fault.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { askUpstream } from "../../upstream/ask.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import type { RelayContext } from "../call/context.ts";
import type { Target } from "../call/target.ts";
import { NEUTRAL_USER_AGENT } from "./added-headers.ts";
import { failureOf } from "./failures.ts";
import { providerChannel } from "./upstream-endpoint.ts";

const MAX_SIDE_ANSWER_BYTES = 4 * 1_048_576;
const SIDE_REQUEST_MS = 15_000;

/** A request as it is sent, and what to do with the token in it once the upstream has refused that. */
export interface SignedRequest extends OutgoingRequest {
  /** Undefined where it has no token of ours. */
  forgetToken?: () => Promise<void>;
}

type SigningContext = Pick<RelayContext, "upstream" | "accessTokens">;
interface Sent extends Pick<Target, "provider" | "providerCall" | "url" | "headers" | "body"> {
  channel: Pick<SnapshotChannel, "baseUrl" | "key" | "other" | "openaiOrganization" | "setting">;
  /** POST where absent. */
  method?: "GET" | "DELETE";
}

/** What a provider may use, and the tokens it took. */
function toolsFor(context: SigningContext, target: Sent): { tools: SendTools; taken: Map<string, string> } {
  const taken = new Map<string, string>();
  const { channel, provider } = target;
  const { proxy = "", http2 } = channel.setting;
  const timers = { firstByteTimeoutMs: SIDE_REQUEST_MS, idleTimeoutMs: SIDE_REQUEST_MS };
  const tools: SendTools = {
    nowMs: Date.now(),
    async ask({ method, url, headers, body }) {
      const bytes = body === undefined ? null : Buffer.from(body as string);
      const request = {
        method,
        url,
        headers: [...headers, "user-agent", NEUTRAL_USER_AGENT],
        body: bytes,
        proxy,
        http2,
        ...timers,
      };
      const limits = { bytes: MAX_SIDE_ANSWER_BYTES, totalMs: SIDE_REQUEST_MS };
      const answer = await askUpstream(context.upstream, request, limits).catch((fault: unknown) => {
        if (!(fault instanceof UpstreamFault)) throw fault;
        // Nothing of the call has been sent yet, so another channel may be tried whatever the result.
        throw new ProviderFault({ ...failureOf(fault, true), isRetryable: true });
      });
      return { status: answer.status, text: answer.body, fields: parseObject(answer.body) ?? {} };
    },
    async accessToken(purpose, exchange) {
      const name = `${provider.manifest.id} ${purpose} ${channel.key}`;
      const token = await context.accessTokens.get(name, exchange);
      taken.set(name, token);
      return token;
    },
  };
  return { tools, taken };
}

const forgetting =
  (tokens: SigningContext["accessTokens"], taken: ReadonlyMap<string, string>) => async (): Promise<void> => {
    for (const [name, token] of taken) await tokens.forget(name, token);
  };

/** The target's request as it is sent, or why it could not be made. Rejects with faults of this program alone. */
export async function signRequest(context: SigningContext, target: Sent): Promise<SignedRequest | UpstreamFailure> {
  const { provider, providerCall, method = "POST", url, headers, body } = target;
  const request: OutgoingRequest = { method, url, headers, body };
  if (provider.beforeSend === undefined) return request;
  const { tools, taken } = toolsFor(context, target);
  try {
    const made = await provider.beforeSend(request, providerChannel(target), providerCall, tools);
    return taken.size === 0 ? made : { ...made, forgetToken: forgetting(context.accessTokens, taken) };
  } catch (error) {
    if (error instanceof ProviderFault) return error.failure;
    throw error;
  }
}
