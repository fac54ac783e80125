/** HTTP handlers of the page of the system. */
import { AppError } from "../../../../contract/src/errors.ts";
import { defineHandlers } from "../http/handlers.ts";
import { makeSupportBundle, readSystem, requestBackup } from "./service.ts";

export const systemHandlers = defineHandlers("system", {
  getSystem: async ({ context }) => ({ data: await readSystem(context) }),
  async getSystemChecks({ context }) {
    const checks = context.system.checks();
    return {
      data: await checks.catch((error: unknown) => {
        context.logger.warn({ err: error }, "the checks of the system could not be made");
        throw new AppError("checks_failed", { cause: error });
      }),
    };
  },
  async requestBackup({ context, body, ...actor }) {
    await requestBackup(context, actor, body.destination);
    return {};
  },
  makeSupportBundle: async ({ context, ...actor }) => ({ data: await makeSupportBundle(context, actor) }),
});
