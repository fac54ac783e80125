/** Planned features: each line covers the facts that start with it, and fails as soon as one of them exists. */
export const WAITING: readonly string[] = [];
