/** Options that must be set before another may be enabled, so that no switch locks users out. */
import { PAYMENT_SWITCHES } from "../payments/methods.ts";
import { WAYS, isBuiltInWay } from "../ways-in.ts";
import type { OPTION_CATALOGUE } from "./catalogue.ts";
import { type Refusal, refusalOf } from "./refusals.ts";

type OptionName = keyof typeof OPTION_CATALOGUE;
/** Option values by name. */
type CurrentValues = Readonly<Record<OptionName, unknown>>;

/** An option, or several of which one has to be set. */
type Need = OptionName | readonly OptionName[];

/** Each switch, with the options it cannot work without. */
const PREREQUISITES: Partial<Record<OptionName, readonly Need[]>> = {
  ...Object.fromEntries(Object.values(WAYS).map(({ option, needs }) => [option, needs])),
  TurnstileCheckEnabled: ["TurnstileSiteKey", "TurnstileSecretKey"],
  ...PAYMENT_SWITCHES,
  // The account is the sender where none is named; a mail server that asks for no login has none.
  EmailVerificationEnabled: ["SMTPServer", ["SMTPFrom", "SMTPAccount"]],
  TelegramBotEnabled: ["TelegramBotToken", "TelegramBotName"],
  EmailDomainRestrictionEnabled: ["EmailDomainWhitelist"],
};

/** Sign-in methods that an administrator has used in this installation; only these are known to work. */
export type ProvenWays = ReadonlySet<string>;

const isBlank = (value: unknown): boolean => value === "" || (Array.isArray(value) && value.length === 0);

/**
 * Why `name` may not get this value, for the operator; undefined where it may.
 * A secret counts as set by its decrypted value in `current`.
 */
export function brokenPrerequisite(
  name: OptionName,
  value: unknown,
  current: CurrentValues,
  proven: ProvenWays,
): Refusal | undefined {
  if (value === true) return missingFor(name, current);
  if (value === false) return lastWayIn(name, current, proven);
  return isBlank(value) ? switchThatNeeds(name, current) : undefined;
}

const namesOf = (need: Need): readonly OptionName[] => (typeof need === "string" ? [need] : need);

function missingFor(name: OptionName, current: CurrentValues): Refusal | undefined {
  const missing = PREREQUISITES[name]
    ?.map(namesOf)
    .find((names) => names.every((needed) => isBlank(current[needed])))
    ?.at(0);
  return missing === undefined ? undefined : refusalOf("set_first", { option: missing });
}

/** Why administrators could not sign in with `name` off; undefined where the password or a proven method remains. */
function lastWayIn(name: OptionName, current: CurrentValues, proven: ProvenWays): Refusal | undefined {
  const isPassword = name === "PasswordLoginEnabled";
  const isWay = Object.values(WAYS).some(({ option }) => option === name);
  if (current[name] !== true || (!isPassword && !isWay)) return undefined;
  if (!isPassword && current.PasswordLoginEnabled === true) return undefined;
  const isOn = (way: string): boolean => !isBuiltInWay(way) || current[WAYS[way].option] === true;
  const isOther = (way: string): boolean => !isBuiltInWay(way) || WAYS[way].option !== name;
  if ([...proven].some((way) => isOther(way) && isOn(way))) return undefined;
  return refusalOf(isPassword ? "other_way_first" : "password_first");
}

function switchThatNeeds(name: OptionName, current: CurrentValues): Refusal | undefined {
  const isLast = (names: readonly OptionName[]): boolean =>
    names.includes(name) && names.every((other) => other === name || isBlank(current[other]));
  const user = Object.entries(PREREQUISITES).find(
    ([owner, needs]) => current[owner as OptionName] === true && needs.map(namesOf).some(isLast),
  );
  return user === undefined ? undefined : refusalOf("needed_by", { option: user[0] });
}
