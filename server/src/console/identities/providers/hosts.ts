/** Where the sign-in pages and profiles of the sites are whose addresses do not come from options. */

export interface IdentityHosts {
  github: string;
  githubApi: string;
  linuxdo: string;
}

/** The real ones; tests put servers of their own in their place (StartOptions.identityHosts). */
export const IDENTITY_HOSTS: IdentityHosts = Object.freeze({
  github: "https://github.com",
  githubApi: "https://api.github.com",
  linuxdo: "https://connect.linux.do",
});
