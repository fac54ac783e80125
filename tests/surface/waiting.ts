/** What is being built: each line covers the facts that begin with it, and fails as soon as one of them is there. */
export const WAITING: readonly string[] = [];
