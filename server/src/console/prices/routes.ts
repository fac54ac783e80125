/** HTTP handlers of the administrators' prices. */
import { defineHandlers } from "../http/handlers.ts";
import { applyPrices, cancelPriceChange, listPriceChanges } from "./changes.ts";
import { dryRun } from "./dry-run/dry-run.ts";
import { fetchList } from "./fetched-list.ts";
import { acceptLines, describeList, undoAcceptance } from "./list.ts";
import { changePrices, listPrices } from "./service.ts";
import { channelSites, compareSites } from "./sites.ts";
import { compareTables, replaceTables } from "./tables.ts";
import { listPriceVersions, restorePriceVersion } from "./versions.ts";

export const pricesHandlers = defineHandlers("prices", {
  listPrices: ({ context, query }) => ({ data: [...listPrices(context, query.model)] }),
  dryRunPrices: ({ context, body: { days, start_timestamp: start, ...draft } }) => ({
    stream: dryRun(context, draft, { days, start }),
  }),
  changePrices: async ({ context, body, ...actor }) => ({
    data: { changed: await changePrices(context, actor, body.changes) },
  }),
  compareTables: async ({ context, body }) => ({ data: await compareTables(context, body.tables) }),
  replaceTables: async ({ context, body, ...actor }) => {
    await replaceTables(context, actor, body.tables);
    return {};
  },
  listPriceSites: ({ context }) => ({ data: channelSites(context) }),
  compareSites: async ({ context, body }) => ({ data: await compareSites(context, body) }),
  getPriceList: async ({ context }) => ({ data: await describeList(context) }),
  fetchPriceList: async ({ context }) => ({ data: await fetchList(context) }),
  acceptPriceList: async ({ context, body, ...actor }) => ({ data: { id: await acceptLines(context, actor, body) } }),
  undoPriceList: async ({ context, params, ...actor }) => {
    await undoAcceptance(context, actor, params.id);
    return {};
  },
  applyPrices: async ({ context, body, ...actor }) => ({ data: await applyPrices(context, actor, body) }),
  listPriceChanges: async ({ context }) => ({ data: await listPriceChanges(context) }),
  cancelPriceChange: async ({ context, params, ...actor }) => {
    await cancelPriceChange(context, actor, params.id);
    return {};
  },
  listPriceVersions: async ({ context }) => ({ data: await listPriceVersions(context) }),
  restorePriceVersion: async ({ context, params, ...actor }) => ({
    data: { changed: await restorePriceVersion(context, actor, params.id) },
  }),
});
