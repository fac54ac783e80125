/** Questions of the settings page to other sites: one GET by the address policy, whose refusal names the field. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { ConsoleContext } from "../http/handlers.ts";

/** The body of an answer 200. Throws AppError address_refused for `field`, and whatever `failed` makes of anything else. */
export async function askSite(
  { relay }: Pick<ConsoleContext, "relay">,
  url: string,
  field: string,
  failed: (cause: unknown) => AppError,
): Promise<string> {
  const headers = { accept: "application/json" };
  const answer = await relay.fetchGuarded({ method: "GET", url, headers }).catch((error: unknown) => {
    const isRefused = error instanceof AppError && error.code === "address_refused";
    throw isRefused ? new AppError("address_refused", { message: error.message, field, cause: error }) : failed(error);
  });
  if (answer.status !== 200) throw failed(new Error(`status ${answer.status}`));
  return answer.body;
}
