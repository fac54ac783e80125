/**
 * What an account must do before anything else, and which accounts a site demands a second factor of. The server enforces it, the console leads to
 * it.
 */
import { isAdmin } from "./roles.ts";

/** In this order where it is several: choose a password of one's own, set up a second factor. */
export const REQUIRED_ACTIONS = ["password_change", "second_factor"] as const;
export type RequiredAction = (typeof REQUIRED_ACTIONS)[number];

/** The error that everything else is answered with meanwhile. */
export const REQUIRED_ACTION_ERRORS = {
  password_change: "password_change_needed",
  second_factor: "second_factor_needed",
} as const satisfies Record<RequiredAction, string>;

/** Values of the option SecondFactorDemand. */
export const FACTOR_DEMANDS = ["nobody", "administrators", "everybody"] as const;
export type FactorDemand = (typeof FACTOR_DEMANDS)[number];

/** Whether an account of this role has to have a second factor. */
export const isFactorDemanded = (demand: FactorDemand, role: number): boolean =>
  demand === "everybody" || (demand === "administrators" && isAdmin(role));
