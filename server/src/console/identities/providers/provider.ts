/** The interface of a sign-in provider: the address of its authorization page, and the exchange of a code for a profile. */
import type { ErrorCode } from "../../../../../contract/src/error-codes.ts";
import { AppError } from "../../../../../contract/src/errors.ts";
import type { OptionTestStep } from "../../../../../contract/src/options/option-tests.ts";
import { hasUnseen, withoutUnseen } from "../../../../../contract/src/names.ts";
import { addressOf } from "../../accounts/email-codes.ts";
import type { ConsoleContext } from "../../http/handlers.ts";

/** Who a person is at another site. */
export interface Profile {
  /** Never changes there and never goes to another person. */
  subject: string;
  /** Their name there; "" where the site does not say. */
  login: string;
  displayName: string;
  /** As the site writes it; only where the site says that it has verified it. */
  email: string | undefined;
  /** Why no account is made for them; one that they have bound signs in all the same. Absent where nothing speaks against it. */
  newAccountRefusal?: ErrorCode | undefined;
}

/** The parameters of one sign-in. */
export interface Flow {
  state: string;
  /** Where the other site leads back to: a page of the console. */
  redirectUri: string;
  /** PKCE (RFC 7636) and OpenID's nonce; "" where the client built the address of the other site's page itself. */
  verifier: string;
  nonce: string;
}

/** The parameters of the redirect back from the other site. */
export interface Callback {
  code: string;
  /** The issuer that answered; "" where the site does not say. */
  iss: string;
}

export type ProviderContext = Pick<ConsoleContext, "snapshot" | "relay" | "site" | "logger">;

/** A site with a page that leads back with a code (RFC 6749, 4.1). */
export interface CodeProvider {
  authorizeUrl(context: ProviderContext, flow: Flow): Promise<string> | string;
  /** Throws AppError identity_failed or identity_unreachable. */
  profile(context: ProviderContext, flow: Flow, callback: Callback): Promise<Profile>;
  /** As far as a sign-in comes without a person; what the site did not answer is a failed step. @param redirectUri where it would lead back to */
  test(context: ProviderContext, redirectUri: string): Promise<OptionTestStep[]>;
}

const MAXIMUM_SUBJECT = 255;

/** The address as accounts store it; undefined where it is none that an account may have. */
function storable(email: string | undefined): string | undefined {
  if (email === undefined || hasUnseen(email)) return undefined;
  try {
    return addressOf(email);
  } catch (error) {
    if (error instanceof AppError && error.code === "email_invalid") return undefined;
    throw error;
  }
}

/**
 * The profile as it may be stored. Characters that databases refuse, or keep as another character, are in no real subject.
 * Throws AppError identity_failed where the subject is empty, has such a character or blanks around it (which MariaDB compares
 * as if they were not there), or is longer than any real one.
 */
export function checkedProfile(profile: Profile): Profile {
  const { subject, login, displayName, email, newAccountRefusal } = profile;
  const isReal = subject !== "" && subject === subject.trim() && subject.length <= MAXIMUM_SUBJECT;
  if (!isReal || hasUnseen(subject)) throw new AppError("identity_failed");
  return {
    subject,
    login: withoutUnseen(login).slice(0, MAXIMUM_SUBJECT),
    displayName: withoutUnseen(displayName),
    email: storable(email),
    newAccountRefusal,
  };
}
