/** Prices over HTTP. */
import { defineHandlers } from "../http/handlers.ts";
import { pricingFor } from "./service.ts";

export const pricingHandlers = defineHandlers("pricing", {
  getPricing({ context, session }) {
    const { entries, groupRatio, usableGroup } = pricingFor(context, session?.user.groupName);
    return { data: entries, extra: { group_ratio: groupRatio, usable_group: usableGroup } };
  },
});
