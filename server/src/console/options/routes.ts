/** Handlers of the system's options. */
import { defineHandlers } from "../http/handlers.ts";
import { optionHistory } from "./history.ts";
import { discoverOidc } from "./oidc-discovery.ts";
import { describeOptions, listOptions, resetModelRatio, updateOption } from "./service.ts";
import { sendTestMail } from "./test-mail.ts";
import { checkForUpdate, systemInfo } from "./update-check.ts";

export const optionsHandlers = defineHandlers("options", {
  listOptions: async ({ context }) => ({ data: await listOptions(context) }),
  describeOptions: () => ({ data: describeOptions() }),
  getOptionHistory: async ({ context, query }) => ({ data: await optionHistory(context, query.key) }),
  updateOption: async ({ context, body, ...actor }) => {
    await updateOption(context, actor, body);
    return {};
  },
  resetModelRatio: async ({ context, ...actor }) => {
    await resetModelRatio(context, actor);
    return { message: "Model ratios are back to their defaults" };
  },
  sendTestMail: async ({ context, session, request, body }) => ({
    data: await sendTestMail(context, session, request, body.to),
  }),
  discoverOidc: async ({ context, body }) => ({ data: await discoverOidc(context, body.url) }),
  checkForUpdate: async ({ context }) => ({ data: await checkForUpdate(context) }),
  getSystemInfo: async ({ context }) => ({ data: await systemInfo(context) }),
});
