/** Calls that other gateways of this API family have at another method or address than ours: each leads to the endpoint that does the same, with all its rules. */
import type { Method } from "../endpoint.ts";

import type { SitesComparison } from "../pricing/site-prices.ts";
import { ratioSyncAnswer } from "./ratio-sync.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface AliasCall {
  method: Method;
  /** As the path of an endpoint; its `{id}` is the one of the endpoint. */
  path: string;
  /** `<feature>.<endpoint>` that is called. */
  to: string;
  /** The body that the endpoint gets; the one that was sent where absent. */
  body?(params: Fields, sent: Fields): Fields;
  /** What `data` of the answer is, of what the endpoint answers; the same where absent. */
  data?(data: unknown): unknown;
}

/** Facts of the addresses: router/api-router.go of github.com/QuantumNous/new-api. */
export const ALIAS_CALLS: readonly AliasCall[] = [
  {
    method: "POST",
    path: "/api/channel/{id}/status",
    to: "channels.updateChannel",
    body: ({ id }, { status }) => ({ id: Number(id), status }),
  },
  { method: "POST", path: "/api/channel/status/batch", to: "channels.setChannelStatuses" },
  {
    method: "POST",
    path: "/api/token/{id}/key",
    to: "tokens.getToken",
    data: (token) => ({ key: (token as { key: string }).key }),
  },
  // Facts of both forms: docs.newapi.pro/en/api/fei-model-rate-sync.
  { method: "GET", path: "/api/ratio_sync/channels", to: "prices.listPriceSites" },
  {
    method: "POST",
    path: "/api/ratio_sync/fetch",
    to: "prices.compareSites",
    body: (_, { upstreams, channel_ids, timeout }) => ({
      ...(upstreams === undefined ? {} : { sites: upstreams }),
      ...(channel_ids === undefined ? {} : { channel_ids }),
      ...(timeout === undefined ? {} : { timeout }),
    }),
    data: (comparison) => ratioSyncAnswer(comparison as SitesComparison),
  },
];
