/** Handlers of the system's options. */
import { defineHandlers } from "../http/handlers.ts";
import { optionHistory } from "./history.ts";
import { testOptions } from "./option-tests.ts";
import { checkForUpdate, discoverOidc, sendTestMail, systemInfo } from "./site-checks.ts";
import { uploadPicture } from "./site-pictures.ts";
import { describeOptions, listOptions, resetModelRatio, updateOption } from "./service.ts";

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
  testOptions: async ({ context, session, request, requireStepUp, body }) => ({
    data: await testOptions(context, { session, request, requireStepUp }, body),
  }),
  uploadSitePicture: async ({ context, body }) => ({ data: await uploadPicture(context, body.data) }),
  discoverOidc: async ({ context, body }) => ({ data: await discoverOidc(context, body.url) }),
  checkForUpdate: async ({ context }) => ({ data: await checkForUpdate(context) }),
  getSystemInfo: async ({ context }) => ({ data: await systemInfo(context) }),
});
