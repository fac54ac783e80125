/** The step between a right password, or a third party's word, and a session: accounts with an authenticator app get a ticket instead. */
import { z } from "zod";
import type { LoginUser, SecondStepMethod } from "../../../../contract/src/features/sessions.ts";
import type { Queries } from "../../db/portable.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { giveTicket } from "./one-time-codes.ts";

/** What a ticket of the second step carries. */
export const secondStepPayload = z.object({
  userId: z.number(),
  way: z.string(),
  /** Whether the password that was typed is the well-known first one. */
  hasDefaultPassword: z.boolean(),
});
type SecondStepPayload = z.output<typeof secondStepPayload>;

/** What the account may go on with; nothing where signing in needs no second step. */
export async function secondStepMethods(queries: Queries, userId: number): Promise<SecondStepMethod[]> {
  const totp = await queries
    .selectFrom("totp_factors")
    .select("user_id")
    .where("user_id", "=", userId)
    .where("confirmed_time", ">", 0)
    .executeTakeFirst();
  if (totp === undefined) return [];
  const passkey = await queries
    .selectFrom("passkeys")
    .select("user_id")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return passkey === undefined ? ["totp", "recovery"] : ["totp", "recovery", "passkey"];
}

const NOBODY = {
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
  return { data: { ...NOBODY, require_second_factor: true, ticket, methods } };
}
