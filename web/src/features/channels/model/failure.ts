/** Why a channel's last test failed, in the reader's language. Pure. */
import { type TFunction } from "../../../lib/i18n.ts";
import {
  TEST_FAILURE_CODES,
  TEST_RESULT,
  type TestFailure,
} from "../../../../../contract/src/channels/channel-tests.ts";
import { networkMeaning } from "../../../../../contract/src/channels/network-failures.ts";
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";

/** The sentence of a failure. */
export function failureText(t: TFunction, { code, values }: TestFailure): string {
  const reason = code === "connect" ? values["reason"] : undefined;
  const meaning = networkMeaning(String(reason));
  if (meaning !== undefined) return t(`failures.network.${meaning}`, { code: reason });
  return t(reason === undefined ? `failures.${code}` : "failures.connectReason", values);
}

/** The sentence of a balance that could not be read; its own where a test's would speak of the test. */
export const balanceFailureText = (t: TFunction, failure: TestFailure): string =>
  failure.code === "internal" || failure.code === "unreadable_answer"
    ? t(`balance.failures.${failure.code}`)
    : failureText(t, failure);

/** The failure in what the server says beside a refused test or balance; undefined where it is of another kind. */
export function failureIn({ failure }: Readonly<Record<string, unknown>>): TestFailure | undefined {
  if (typeof failure !== "object" || failure === null || !("code" in failure) || !("values" in failure))
    return undefined;
  const code = TEST_FAILURE_CODES.find((known) => known === failure.code);
  // The server encodes its answers by the contract's schema: a known code has the values of its kind.
  return code === undefined ? undefined : { code, values: failure.values as TestFailure["values"] };
}

export const hasFailed = ({ test_result }: Pick<ChannelRow, "test_result">): boolean =>
  test_result === TEST_RESULT.failed;

/** The filter by the last test: what stands in the address, and what the server is asked. */
export const TEST_FILTERS = [
  { value: "passed", result: TEST_RESULT.passed },
  { value: "failed", result: TEST_RESULT.failed },
  { value: "none", result: TEST_RESULT.none },
] as const;

export const testResultOf = (value: string | undefined): number | undefined =>
  TEST_FILTERS.find((filter) => filter.value === value)?.result;
