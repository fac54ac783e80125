/** Routing explained, over HTTP. */
import { defineHandlers } from "../http/handlers.ts";
import { explainPast, explainNow } from "./service.ts";

export const routingHandlers = defineHandlers("routing", {
  async explainRoute({ context, body }) {
    return { data: await explainNow(context, body) };
  },
  async explainPastRoute({ context, params }) {
    return { data: await explainPast(context, params.request_id) };
  },
});
