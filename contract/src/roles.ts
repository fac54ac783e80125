/** Roles (1 user, 10 administrator, 100 super administrator) and the checks on them. */
export const ROLE = { guest: 0, user: 1, admin: 10, root: 100 } as const;

export const isAdmin = (role: number): boolean => role >= ROLE.admin;
export const isRoot = (role: number): boolean => role >= ROLE.root;

/** The smallest role each protected access rule of an endpoint admits. */
export const ACCESS_ROLE = { user: ROLE.user, admin: ROLE.admin, root: ROLE.root } as const;
