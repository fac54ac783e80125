/** Tokens that upstreams gave in exchange for keys, as the relay asks for them; stores/access-tokens.ts keeps them. */

export interface IssuedToken {
  token: string;
  /** Seconds from now on in which it is good. */
  lifetimeSeconds: number;
}

export interface AccessTokens {
  /**
   * The token of this name, exchanged where there is none that is good for a while yet: once for all who wait, in all processes. `name`
   * may hold a key; it is kept as its hash. Rejects with what `exchange` rejects with.
   */
  get(name: string, exchange: () => Promise<IssuedToken>): Promise<string>;
  /** The upstream has refused this token; another one that took its place meanwhile stays. */
  forget(name: string, token: string): Promise<void>;
}
