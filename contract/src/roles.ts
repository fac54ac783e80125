/** Roles and who counts as what (1 normal, 10 admin, 100 super admin), what an account has to do before anything else, and whose second factor a site demands. */
export const ROLE = { guest: 0, user: 1, admin: 10, root: 100 } as const;

export const isAdmin = (role: number): boolean => role >= ROLE.admin;
export const isRoot = (role: number): boolean => role >= ROLE.root;

/** The smallest role each protected access rule of an endpoint admits. */
export const ACCESS_ROLE = { user: ROLE.user, admin: ROLE.admin, root: ROLE.root } as const;

/** In this order where it is several: choose a password of one's own, set up a second factor, accept the user agreement and privacy policy. */
export const REQUIRED_ACTIONS = ["password_change", "second_factor", "terms"] as const;
export type RequiredAction = (typeof REQUIRED_ACTIONS)[number];

/** The error that everything else is answered with meanwhile. */
export const REQUIRED_ACTION_ERRORS = {
  password_change: "password_change_needed",
  second_factor: "second_factor_needed",
  terms: "terms_needed",
} as const satisfies Record<RequiredAction, string>;

/** Values of the option SecondFactorDemand. */
export const FACTOR_DEMANDS = ["nobody", "administrators", "everybody"] as const;
export type FactorDemand = (typeof FACTOR_DEMANDS)[number];

/** Whether an account of this role has to have a second factor. */
export const isFactorDemanded = (demand: FactorDemand, role: number): boolean =>
  demand === "everybody" || (demand === "administrators" && isAdmin(role));
