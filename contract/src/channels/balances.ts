/**
 * Channel balances as upstreams report them: endpoints that query them, reasons why one could not be read, and the progress of a run over all
 * channels.
 */
import { z } from "zod";
import { runProgress, testFailure } from "./channel-tests.ts";
import { endpoint } from "../endpoint.ts";
import { pathId } from "../query.ts";

/** Why the balance could not be read last, by a code of the tests, and when that was (Unix seconds). */
export const balanceFailure = testFailure.extend({ time: z.number() });
export type BalanceFailure = z.output<typeof balanceFailure>;

const balance = {
  access: "admin",
  act: "channels_operate",
  object: "site",
  summary:
    "Asks the upstream for a channel's balance and keeps it. `balance` is in `currency`, an ISO 4217 code or the upstream's own `points`; where it failed `failure` says why by a code with its values",
  params: pathId,
  extra: z.object({
    balance: z.number().optional(),
    currency: z.string().optional(),
    failure: balanceFailure.optional(),
  }),
} as const;

export const updateBalanceByGet = endpoint({
  method: "GET",
  path: "/api/channel/update_balance/{id}",
  changesState: true,
  ...balance,
});
export const updateBalance = endpoint({ method: "POST", path: "/api/channel/update_balance/{id}", ...balance });

const allBalances = {
  access: "admin",
  act: "channels_operate",
  object: "site",
  summary:
    "Asks the upstreams of all channels that are not disabled by hand for their balances, in the background; see /api/channel/update_balance/progress",
} as const;

export const updateAllBalancesByGet = endpoint({
  method: "GET",
  path: "/api/channel/update_balance",
  changesState: true,
  ...allBalances,
});
export const updateAllBalances = endpoint({ method: "POST", path: "/api/channel/update_balance", ...allBalances });

export const stopBalances = endpoint({
  method: "POST",
  path: "/api/channel/update_balance/stop",
  access: "admin",
  act: "channels_operate",
  object: "site",
  summary: "Ends the run over all balances, in whichever process it is; answers how far it came",
  data: runProgress,
});

export const getBalanceProgress = endpoint({
  method: "GET",
  path: "/api/channel/update_balance/progress",
  access: "admin",
  act: "channels_see",
  object: "site",
  summary: "How far the run over all balances is, or how the last one ended",
  data: runProgress,
});
