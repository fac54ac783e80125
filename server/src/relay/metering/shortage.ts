/** Refusals for lack of quota: what the call needs, what is left as far as its caller may see it, and where to top up; metering and the rooms above use them. */
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import { quotaDisplayOf } from "../../../../contract/src/options/quota-unit.ts";
import { formatQuota, type QuotaDisplay } from "../../../../contract/src/quota-display.ts";
import type { SnapshotToken } from "../../snapshot/snapshot.ts";
import { withTimeout } from "../../util/deadline.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/relay-error.ts";

/** What a call that was refused would have had to be given, in quota. */
export interface Needed {
  /** What it may cost at most. */
  most: number;
  /** What is enough while no other call of the account is open. */
  least: number;
  /** What the call holds already, which is not in the account's balance any more; 0 where absent. */
  held?: number;
}

/** The payer, as far as a refusal needs it. */
type Payer = Pick<SnapshotToken, "id" | "userId" | "isUnlimited">;

/** A database that takes longer than this to say a balance is away. */
export const LEDGER_WAIT_MS = 1_000;
/** Decimals of a unit's worth at the usual 500,000 units to a dollar. */
const EXACT_DECIMALS = 6;

/** The sentence that leads to the wallet, with a blank before it; "" where the site's address is not known. */
export const topUpSentence = ({ ServerAddress: address }: OptionValues): string =>
  address === "" ? "" : ` Top up at ${address.replace(/\/+$/, "")}/topup`;

/**
 * A key with a quota of its own may be in other hands than its owner's: it is shown the account's balance only where the billing API shows
 * it too. A session, and a key that may spend all of it, are the account's own.
 */
const maySeeBalance = ({ snapshot }: RelayContext, token: Payer): boolean =>
  token.isUnlimited || !snapshot.options.DisplayTokenStatEnabled;

/** A number of quota, or undefined where the database does not say it in time. */
const inTime = (asked: Promise<number>): Promise<number | undefined> =>
  withTimeout<number | undefined>(
    asked.catch(() => undefined),
    LEDGER_WAIT_MS,
    () => undefined,
  );

/** Two amounts with as many decimals as tell them apart. */
function shown(needed: number, left: number, display: QuotaDisplay): readonly [string, string] {
  const texts = [formatQuota(needed, display), formatQuota(left, display)] as const;
  if (texts[0] !== texts[1]) return texts;
  if (display.currency === undefined) return [String(needed), String(left)];
  return [formatQuota(needed, display, EXACT_DECIMALS), formatQuota(left, display, EXACT_DECIMALS)];
}

function balanceSentence({ most, least }: Needed, left: number | undefined, display: QuotaDisplay): string {
  if (left === undefined) return `Your balance does not reach for this call: it needs ${formatQuota(least, display)}.`;
  if (left < least) {
    const [needed, rest] = shown(least, left, display);
    return `Your balance does not reach for this call: it needs ${needed}, ${rest} is left.`;
  }
  const [needed, rest] = shown(most, left, display);
  return `The quota left does not cover what this call may cost beside the calls that are open: it needs ${needed}, ${rest} is left. Try again when they have ended, or set a smaller max_tokens.`;
}

/** Programs read the same in quota. */
const detailsOf = (needed: number, left: number | undefined) => ({
  quota_needed: needed,
  ...(left === undefined ? {} : { quota_left: left }),
});

/** The account's balance is too low for a call. Does not throw: where the balance cannot be read, it is not in the sentence. */
export async function shortOfBalance(context: RelayContext, token: Payer, needed: Needed): Promise<RelayError> {
  const { options } = context.snapshot;
  const free = maySeeBalance(context, token) ? await inTime(context.billing.available(token.userId)) : undefined;
  const left = free === undefined ? undefined : free + (needed.held ?? 0);
  const amount = left !== undefined && left >= needed.least ? needed.most : needed.least;
  return new RelayError("insufficient_user_quota", {
    message: balanceSentence(needed, left, quotaDisplayOf(options)) + topUpSentence(options),
    details: detailsOf(amount, left),
  });
}

/** The token's own quota is too low for a call. Does not throw. */
export async function shortOfTokenQuota(
  context: RelayContext,
  token: Payer,
  { most, least }: Needed,
): Promise<RelayError> {
  const totals = context.tokenTotals(token.id).then(({ remaining }) => remaining);
  const left = await inTime(totals);
  const amount = left !== undefined && left >= least ? most : least;
  const display = quotaDisplayOf(context.snapshot.options);
  const [needed, rest] = shown(amount, left ?? 0, display);
  const amounts = left === undefined ? `it needs ${needed}` : `it needs ${needed}, ${rest} is left`;
  return new RelayError("pre_consume_token_quota_failed", {
    message: `The quota of this API key does not reach for this call: ${amounts}. Its owner can raise it.`,
    details: detailsOf(amount, left),
  });
}
