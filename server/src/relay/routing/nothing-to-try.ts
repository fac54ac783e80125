/** The error where no channel could be tried: a temporary one for a call that may be had later, else a final one. */
import type { SkipCode } from "../../../../contract/src/receipt-codes.ts";
import type { Operation } from "../../providers/provider.ts";
import { RelayError } from "../call/relay-error.ts";
import type { DialectName } from "../../dialects/neutral/neutral.ts";
import { tooLong } from "./too-long.ts";
import type { SkippedChannel } from "../call/trace.ts";

/** What was asked, and why each channel was skipped. */
export interface Untried {
  readonly operation: Operation;
  /** The client's format. */
  readonly dialect: DialectName;
  readonly inputTokens: number;
  readonly skipped: readonly SkippedChannel[];
  /** Why the last channel of another format could not express the request. */
  readonly untranslatable?: RelayError | undefined;
}

/** Reasons that stay as they are however often the call is made. */
const LASTING: ReadonlySet<SkipCode> = new Set([
  "input_limit",
  "unsupported_operation",
  "untranslatable",
  "provider_retired",
]);

/** The error of an input that is longer than what any of the channels takes, with the longest that one does; else undefined. */
function inputTooLong({ skipped, inputTokens, dialect }: Untried): RelayError | undefined {
  const limits = skipped.flatMap((each) => (each.code === "input_limit" ? [Number(each.values.limit)] : []));
  if (limits.length === 0 || skipped.some(({ code }) => !LASTING.has(code))) return undefined;
  const limit = limits.reduce((left, right) => Math.max(left, right));
  const known = { asked: inputTokens, most: limit };
  return tooLong("input_too_long", dialect, known);
}

/** The error of an operation that none of the channels has; undefined where one is only out of use. */
function operationMissing({ operation, skipped }: Untried): RelayError | undefined {
  if (skipped.length === 0 || skipped.some(({ code }) => code !== "unsupported_operation")) return undefined;
  const message = `No channel of this model serves ${operation.replaceAll("_", " ")}.`;
  return new RelayError("not_translatable", { message, param: "model" });
}

/** The error where all that could have answered are channels of vendors that have ended their service. */
function allRetired({ skipped }: Untried): RelayError | undefined {
  if (skipped.length === 0 || skipped.some(({ code }) => code !== "provider_retired")) return undefined;
  const message = "The provider of this model has ended its service. Please choose another model.";
  return new RelayError("no_available_channel", { message, param: "model", isFinal: true });
}

/** For now where a channel was only busy, for its format may do what those of others cannot; else for good. */
export function nothingToTry(untried: Untried): RelayError {
  if (untried.skipped.some(({ code }) => code === "busy"))
    return new RelayError("channels_busy", { retryAfterSeconds: 1 });
  const lasting = inputTooLong(untried) ?? untried.untranslatable ?? operationMissing(untried) ?? allRetired(untried);
  return lasting ?? new RelayError("no_available_channel", { param: "model" });
}
