/** Queries the balance of a channel's upstream account, through the channel's proxy and under the address policy, and reports why a query failed. */
import { AppError } from "../../../contract/src/errors.ts";
import type { BalanceAnswer } from "../console/relay-tools.ts";
import { wordsForOperator } from "../dialects/neutral/failure.ts";
import { redact } from "../observe/logger.ts";
import { type AskBalance, BalanceFault, objectIn, unreadableBalance } from "../providers/balance.ts";
import type { Provider } from "../providers/provider.ts";
import { headersWithoutClient, withAdded } from "../relay/attempt/added-headers.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import { askUpstream } from "../upstream/ask.ts";
import type { UpstreamClient } from "../upstream/client.ts";
import { withoutUpstreamKey } from "../upstream/fault.ts";
import { asAppError, reasonOf } from "./upstream-reasons.ts";

const TIMEOUTS = { firstByteTimeoutMs: 30_000, idleTimeoutMs: 15_000 } as const;
const MAXIMUM_ANSWER_BYTES = 256 * 1024;

/** The upstream account and the means to query it. */
export interface BalanceQuestion {
  upstream: UpstreamClient;
  provider: Provider | undefined;
  channel: SnapshotChannel;
  /** Unix milliseconds. */
  nowMs: number;
  signal: AbortSignal | undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw unreadableBalance(error);
  }
}

const askerOf =
  (provider: Provider, { upstream, channel, signal }: BalanceQuestion): AskBalance =>
  async ({ method, url, headers }) => {
    const all = withAdded([...headers, "accept", "application/json"], headersWithoutClient(channel));
    const request = { method, url, headers: all, body: null, proxy: channel.setting.proxy ?? "", ...TIMEOUTS };
    const { status, body } = await askUpstream(upstream, request, { bytes: MAXIMUM_ANSWER_BYTES, signal }).catch(
      (error: unknown) => {
        throw new BalanceFault("unanswered", reasonOf(error), { cause: error });
      },
    );
    if (status >= 200 && status <= 299) return objectIn(parsed(body));
    const message = wordsForOperator(provider.failure(status, withoutUpstreamKey(body, channel.key)));
    throw new BalanceFault("refused", { code: "upstream_status", values: { status, message } }, { status });
  };

/** The failure, without the key and without addresses. */
function answerOf(fault: BalanceFault, key: string): BalanceAnswer {
  const { code, values } = fault.failure;
  if (fault.kind === "unanswered") return { failure: fault.failure, message: asAppError(fault.cause).message };
  if (fault.kind === "unreadable")
    return { failure: fault.failure, message: "The upstream's answer is not what this provider tells of a balance" };
  const message = redact(withoutUpstreamKey(String(values["message"]), key));
  return { failure: { code, values: { ...values, message } }, message: `status ${fault.status}: ${message}` };
}

/** The balance, or why there is none. Throws AppError channel_balance_unsupported if the provider has no such API. */
export async function askBalance(question: BalanceQuestion): Promise<BalanceAnswer> {
  const { provider, channel, nowMs } = question;
  if (provider?.balance === undefined) throw new AppError("channel_balance_unsupported");
  const { key } = channel;
  const baseUrl = channel.baseUrl === "" ? provider.manifest.defaultBaseUrl : channel.baseUrl;
  try {
    return { balance: await provider.balance(askerOf(provider, question), { baseUrl, key }, nowMs) };
  } catch (error) {
    if (error instanceof BalanceFault) return answerOf(error, key);
    throw error;
  }
}
