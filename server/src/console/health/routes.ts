/** HTTP handlers of channel health and of the public availability of models. */
import { AppError } from "../../../../contract/src/errors.ts";
import { mayDo } from "../../../../contract/src/permissions.ts";
import { FOR_ANY_SITE } from "../http/envelope.ts";
import { defineHandlers } from "../http/handlers.ts";
import { keptAvailability } from "./availability.ts";
import { readDegraded } from "./degraded.ts";
import { readChannelHealth, readModelsHealth } from "./service.ts";

export const healthHandlers = defineHandlers("health", {
  getChannelHealth: async ({ context, session, query }) => ({
    data: await readChannelHealth(context, query, mayDo(session.user, "logs")),
  }),
  getChannelModelsHealth: async ({ context, params, query }) => ({
    data: await readModelsHealth(context, params.id, query.hours),
  }),
  getDegradedHealth: async ({ context }) => ({ data: await readDegraded(context) }),
  async getModelsAvailability({ context }) {
    if (!context.snapshot.options.StatusPageEnabled) throw new AppError("status_page_off");
    return { data: await keptAvailability(context), headers: FOR_ANY_SITE };
  },
});
