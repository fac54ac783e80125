/** A channel's test as the console tells it: which model, how long, and why it failed. */
import type { TestFailure } from "../../../contract/src/channel-tests.ts";
import type { ChannelTestResult } from "../console/relay-tools.ts";
import { redact } from "../observe/logger.ts";
import type { UpstreamFailure } from "../providers/provider.ts";
import { modelToTest, type ProbeResult } from "../relay/probe.ts";
import type { Relay } from "../relay/router.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import { asAppError, reasonOf } from "./upstream-reasons.ts";

type Verdict = Omit<ChannelTestResult, "model" | "durationMs">;

const failedBecause = (message: string, reason: TestFailure): Verdict => ({
  isSuccess: false,
  message,
  reason,
  promptTokens: 0,
  completionTokens: 0,
});

function refused({ kind, status, type, code, message: said }: UpstreamFailure): Verdict {
  const message = redact(said);
  const reason = { code: "upstream_status", values: { status, message } } as const;
  return {
    ...failedBecause(`status ${status}: ${message}`, reason),
    failure: { kind, status, message, type, code },
  };
}

function verdictOf(result: ProbeResult): Verdict {
  switch (result.kind) {
    case "answered": {
      const { inputTokens = 0, outputTokens = 0 } = result.usage ?? {};
      return { isSuccess: true, message: "", promptTokens: inputTokens, completionTokens: outputTokens };
    }
    case "failed":
      return refused(result.failure);
    case "unreadable":
      return failedBecause("The upstream's answer is not what its format has", {
        code: "unreadable_answer",
        values: {},
      });
    case "no_question":
      return failedBecause("No short call can test this model", { code: "no_test_for_model", values: {} });
    case "no_operation":
      return failedBecause(`The channel's type does not serve ${result.operation}`, {
        code: "operation_not_served",
        values: { operation: result.operation },
      });
    case "not_expressible":
      return failedBecause(result.message, { code: "not_possible", values: { message: result.message } });
    default:
      return failedBecause(asAppError(result.fault).message, reasonOf(result.fault));
  }
}

/** Tests a channel with `wanted`, else with its test model, else with the cheapest kind of model it has. */
export async function testChannel(
  probe: Relay["probe"],
  channel: SnapshotChannel,
  wanted: string,
  signal: AbortSignal | undefined,
): Promise<ChannelTestResult> {
  const startedMs = performance.now();
  const model = wanted || channel.testModel || (modelToTest(channel.models) ?? "");
  const result = model === "" ? ({ kind: "no_question" } as const) : await probe(channel, model, signal);
  return { ...verdictOf(result), model, durationMs: Math.max(1, Math.round(performance.now() - startedMs)) };
}
