/** Handlers of the first-run wizard. */
import { AppError } from "../../../../contract/src/errors.ts";
import { defineHandlers } from "../handlers.ts";
import { readSetup, submitSetup } from "./service.ts";

export const setupHandlers = defineHandlers("setup", {
  getSetup: async ({ context, request }) => ({ data: await readSetup(context, request) }),
  submitSetup: async ({ context, body, request }) => {
    try {
      await submitSetup(context, request, body);
    } catch (error) {
      if (error instanceof AppError) throw error;
      // A refusal of the wizard is 200 with the spec's message, whatever went wrong underneath.
      context.logger.error({ err: error }, "setup failed");
      throw new AppError("setup_failed", { cause: error });
    }
    return { message: "System initialised" };
  },
});
