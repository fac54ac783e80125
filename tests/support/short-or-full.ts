/** Whether the tests of faults run in the short form that `npm test` holds, or in the full one of `npm run soak -- faults`. */
import type { Engine } from "../../server/src/db/database.ts";
import { engines } from "./databases.ts";

export const IS_FULL = process.env["FAULTS"] === "full";

/** Engines for a fault: MySQL/MariaDB joins in the full form. */
export async function faultEngines(): Promise<readonly Engine[]> {
  return (await engines()).filter((engine) => IS_FULL || engine !== "mysql");
}
