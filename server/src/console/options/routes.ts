/** Handlers of the system's options. */
import { defineHandlers } from "../http/handlers.ts";
import { describeOptions, listOptions, resetModelRatio, updateOption } from "./service.ts";

export const optionsHandlers = defineHandlers("options", {
  listOptions: async ({ context }) => ({ data: await listOptions(context) }),
  describeOptions: () => ({ data: describeOptions() }),
  updateOption: async ({ context, body, ...actor }) => {
    await updateOption(context, actor, body.key, body.value);
    return {};
  },
  resetModelRatio: async ({ context, ...actor }) => {
    await resetModelRatio(context, actor);
    return { message: "Model ratios are back to their defaults" };
  },
});
