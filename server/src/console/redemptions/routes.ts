/** Redemption codes over HTTP: thin, from parsed input to the service and back. */
import { REDEMPTION_SORTS } from "../../../../contract/src/features/redemptions.ts";
import { defineHandlers, shownCode } from "../http/handlers.ts";
import { sortedPageOf } from "../kit/lists.ts";
import { redeemCode } from "./redeem.ts";
import {
  createRedemptions,
  deleteInvalid,
  deleteRedemption,
  listRedemptions,
  readRedemption,
  setRedemptionStatus,
  updateRedemption,
} from "./service.ts";

export const redemptionsHandlers = defineHandlers("redemptions", {
  async listRedemptions({ context, session, query }) {
    const page = await listRedemptions(context, { status: query.status }, sortedPageOf(query, REDEMPTION_SORTS));
    return { data: { ...page, items: page.items.map((row) => shownCode(session, row)), page: query.p } };
  },
  async searchRedemptions({ context, session, query }) {
    const { keyword, status } = query;
    const page = await listRedemptions(context, { keyword, status }, sortedPageOf(query, REDEMPTION_SORTS));
    return { data: { ...page, items: page.items.map((row) => shownCode(session, row)), page: query.p } };
  },
  getRedemption: async ({ context, session, params }) => ({
    data: shownCode(session, await readRedemption(context, params.id)),
  }),
  async createRedemptions({ context, session, request, body }) {
    return { data: await createRedemptions(context, { session, request }, body) };
  },
  async updateRedemption({ context, session, request, query, body }) {
    const update = query.status_only ? setRedemptionStatus : updateRedemption;
    return { data: await update(context, { session, request }, body) };
  },
  async deleteInvalidRedemptions({ context, session, request }) {
    return { data: await deleteInvalid(context, { session, request }) };
  },
  async deleteRedemption({ context, session, request, params }) {
    await deleteRedemption(context, { session, request }, params.id);
    return {};
  },
  async redeemCode({ context, session, request, body }) {
    return { data: await redeemCode(context, { user: session.user, ip: request.ip, claim: request.claim }, body.key) };
  },
});
