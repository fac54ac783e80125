/** The tier of service that an answer says it was given in, read where its channel lets clients ask for one; part of step 7. */
import type { ResponseHeaders } from "../../upstream/client.ts";
import type { Target } from "../call/target.ts";

/** Hears an answer as it comes: vendors put the tier into the head, into any event or beside the usage, and the last word counts. */
export class ReportedTier {
  readonly #find: (text: string, isEvent: boolean) => string | undefined;
  tier: string | undefined;

  constructor(find: (text: string, isEvent: boolean) => string | undefined, tier: string | undefined) {
    this.#find = find;
    this.tier = tier;
  }

  /** Takes the whole answer or one of its events, as Latin-1. */
  read(text: string, isEvent: boolean): void {
    this.tier = this.#find(text, isEvent) ?? this.tier;
  }
}

/**
 * Undefined where a tier has no price: the channel does not allow tiers, so nothing of its answers is looked at for one, or its format
 * has none.
 */
export function reportedTier({ channel, dialect }: Target, headers: ResponseHeaders): ReportedTier | undefined {
  if (channel.setting.allowsServiceTier !== true || dialect.findTier === undefined) return undefined;
  const head = dialect.tierHeader === undefined ? undefined : headers[dialect.tierHeader];
  return new ReportedTier(dialect.findTier, typeof head === "string" && head !== "" ? head : undefined);
}
