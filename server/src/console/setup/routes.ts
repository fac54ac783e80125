/** HTTP handlers of the set-up wizard. */
import { AppError } from "../../../../contract/src/errors.ts";
import { defineHandlers } from "../http/handlers.ts";
import { loginAnswer } from "../accounts/login-answer.ts";
import { readSetup, submitSetup } from "./service.ts";

export const setupHandlers = defineHandlers("setup", {
  getSetup: async ({ context, query }) => ({ data: await readSetup(context, query.code) }),
  submitSetup: async ({ context, body, request }) => {
    try {
      const login = await submitSetup(context, body, request);
      const answer =
        login === undefined
          ? { data: null }
          : loginAnswer({ ...login, permissions: null, hasDefaultPassword: false }, request);
      return { ...answer, message: "System initialised" };
    } catch (error) {
      if (error instanceof AppError) throw error;
      // A refusal of the wizard is 200 with its message, whatever went wrong underneath.
      context.logger.error({ err: error }, "setup failed");
      throw new AppError("setup_failed", { cause: error });
    }
  },
});
