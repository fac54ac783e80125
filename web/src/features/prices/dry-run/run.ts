/** One dry run: sends it, follows its progress, and gives its result. */
import type { DryRunLine, DryRunResult, PriceDraft } from "../../../../../contract/src/pricing/dry-run.ts";
import { dryRunPrices } from "../../../../../contract/src/features/prices.ts";
import { ApiError, openStream, refusalText } from "../../../lib/api.ts";
import { linesOf } from "../../../lib/lines.ts";
import { loadTexts, translate } from "../../../lib/i18n.ts";
import { startOfLastDays } from "../../../ui/time-range/range.ts";

export interface Progress {
  /** Calls priced so far, and how many there are; 0 of 0 until the server has counted. */
  done: number;
  total: number;
}

const ENDPOINT = `${dryRunPrices.method} ${dryRunPrices.path}`;

async function failure(code: string): Promise<ApiError> {
  await loadTexts("error-codes").catch(() => undefined);
  const message = refusalText(code) ?? translate("errors:internal");
  return new ApiError(message, { status: 200, code, endpoint: ENDPOINT });
}

/**
 * Prices the calls of the last `days`, which are those of the dashboard, under a draft. Throws ApiError where the draft is refused or the run fails, and what fetch
 * throws where `signal` aborts or the connection breaks.
 */
export async function runDryRun(
  draft: PriceDraft,
  days: number,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<DryRunResult> {
  const start_timestamp = startOfLastDays(days, Date.now());
  const { body } = await openStream(dryRunPrices, { body: { ...draft, days, start_timestamp }, signal });
  for await (const text of linesOf(body)) {
    // The server writes exactly these lines (contract/src/pricing/dry-run.ts).
    const line = JSON.parse(text) as DryRunLine;
    if (line.kind === "progress") onProgress(line);
    else if (line.kind === "failure") throw await failure(line.code);
    else return line;
  }
  throw await failure("internal");
}
