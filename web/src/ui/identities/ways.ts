/** Ways to sign in with accounts of other sites: those that the site offers, and the links to their pages. */
import { BUILT_IN_WAYS, WAYS, titleOfWay } from "../../../../contract/src/ways-in.ts";
import type { Status } from "../../lib/status.ts";
import { callFull } from "../../lib/api.ts";
import { type TFunction } from "../../lib/i18n.ts";
import { readStored, STORAGE, writeStored } from "../../lib/storage.ts";

export interface OtherWay {
  /** As in addresses: `github`, ..., or the slug of a named provider. */
  provider: string;
  /** Of a named provider; "" for those whose names the kit knows. */
  name: string;
}

/** Ways that the site offers, in the order in which they are shown. */
export function otherWays(status: Status): OtherWay[] {
  const builtIn = BUILT_IN_WAYS.filter((way) => status[WAYS[way].status.switch]);
  const named = status.identity_providers.map(({ slug, name }) => ({ provider: slug, name }));
  return [...builtIn.map((provider) => ({ provider, name: "" })), ...named];
}

/** The name of a site in the reader's language; call it in a component that uses the texts of `ui`. */
export const nameOfWay = (t: TFunction, { provider, name }: OtherWay): string =>
  name || t(`ui:identities.${provider}`, { defaultValue: titleOfWay(provider) });

/** The start data of a sign-in or a binding. */
export interface Beginning {
  /** True to bind to the own account. */
  bind: boolean;
  /** The page to open afterwards; the default where undefined. */
  next?: string | undefined;
}

/** The invite code of the link that led here. */
export const inviteCode = (): string => readStored(STORAGE.inviteCode) ?? "";

/** The page that a sign-in at another site leads to, which is forgotten by this. */
export function takeNext(): string | undefined {
  const next = readStored(STORAGE.loginNext) ?? undefined;
  writeStored(STORAGE.loginNext, null);
  return next;
}

/** A state for this browser, and the other site's page where it has one. */
export async function begin(
  provider: string,
  { bind, next }: Beginning,
): Promise<{ state: string; page: string | undefined }> {
  // The schemas behind the endpoints are as heavy as the login page, so they come when they are needed.
  const { createState } = await import("../../../../contract/src/features/identities.ts");
  const answer = await callFull(createState, { body: { provider, bind, aff: inviteCode() } });
  writeStored(STORAGE.loginNext, next ?? null);
  return { state: answer.data, page: answer.extra.authorize_url };
}

/** Goes to the other site's page. @returns false where it has none. */
export async function goToPage(provider: string, beginning: Beginning): Promise<boolean> {
  const { page } = await begin(provider, beginning);
  if (page !== undefined) location.assign(page);
  return page !== undefined;
}
