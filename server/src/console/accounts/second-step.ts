/** The second-factor step of a login: accounts with a second factor get a ticket instead of a session after a correct password or third-party sign-in. */
import { z } from "zod";
import type { LoginUser, SecondStepMethod } from "../../../../contract/src/features/sessions.ts";
import type { Queries } from "../../db/portable.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { factorsOf } from "../required-action.ts";
import { giveTicket } from "./one-time-codes.ts";

/** The content of a ticket of the second step. */
export const secondStepPayload = z.object({
  userId: z.number(),
  /** Of the account when the first step was done: what ended its sessions since has ended the login too. */
  epoch: z.number(),
  way: z.string(),
  /** Whether the password that was typed is the well-known first one. */
  hasDefaultPassword: z.boolean(),
});
type SecondStepPayload = z.output<typeof secondStepPayload>;

/**
 * Methods of the second step; none where signing in needs none.
 * @param isDemanded the site demands a second factor of it: passkeys alone are asked for too then, since a password is one step of two.
 */
export async function secondStepMethods(
  queries: Queries,
  userId: number,
  isDemanded: boolean,
): Promise<SecondStepMethod[]> {
  const { hasApp, hasPasskey } = await factorsOf(queries, userId);
  if (!hasApp && !isDemanded) return [];
  return [...(hasApp ? (["totp", "recovery"] as const) : []), ...(hasPasskey ? (["passkey"] as const) : [])];
}

const NO_ACCOUNT = {
  id: 0,
  username: "",
  display_name: "",
  role: 0,
  status: 0,
  group: "",
  default_credentials: false,
} as const satisfies LoginUser;

/** The answer to a login that has to go on: who it is stays blank, and no cookie is given. */
export async function askForSecondStep(
  { database, secrets }: Pick<ConsoleContext, "database" | "secrets">,
  payload: SecondStepPayload,
  methods: SecondStepMethod[],
  now: number,
): Promise<{ data: LoginUser }> {
  const ticket = await giveTicket({ database, secrets }, { purpose: "second_step", payload, now });
  return { data: { ...NO_ACCOUNT, require_second_factor: true, ticket, methods } };
}
