/** The rules of a new password below its field, each with its state while one is typed, and how strong it is. */
import { IconCheck, IconMinus, IconX } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { sentences } from "../../lib/translate.ts";
import { PASSWORD_MAXIMUM_LENGTH, PASSWORD_MINIMUM_LENGTH } from "../../../../contract/src/constants.ts";
import {
  isCommonPassword,
  isMadeOfNames,
  PASSWORD_STRENGTHS,
  passwordProblem,
  passwordStrength,
  siteNames,
} from "../../../../contract/src/passwords.ts";
import type { PasswordProblem, PasswordStrength } from "../../../../contract/src/passwords.ts";
import { useStatus } from "../../lib/status.ts";
import styles from "./password-rules.module.css";

/** Loaded with the first character that the user types: 36 KB that most pages never need. */
let listed = "";

/** The commonest passwords; "" until they are there. */
function useCommonPasswords(isNeeded: boolean): string {
  const [list, setList] = useState(listed);
  useEffect(() => {
    if (!isNeeded || list !== "") return;
    const load = async () => {
      listed = (await import("../../../../contract/src/common-passwords.ts")).COMMON_PASSWORDS;
      setList(listed);
    };
    // Where it cannot be loaded the server alone says which passwords are too common.
    load().catch(() => undefined);
  }, [isNeeded, list]);
  return list;
}

/** The first broken rule as far as this browser knows; the server looks again. */
export const knownProblem = (password: string, names: readonly string[]): PasswordProblem | undefined =>
  passwordProblem(password, names, listed);

type State = "open" | "met" | "broken";

const ICONS = { open: IconMinus, met: IconCheck, broken: IconX } as const;

/** Four bars of which as many are filled as the password is strong, with the word for it. */
function Strength({ strength }: { strength: PasswordStrength }) {
  const { t } = useTranslation("ui");
  const filled = PASSWORD_STRENGTHS.indexOf(strength);
  return (
    <p className={styles.strength} data-strength={strength}>
      <span className={styles.bars} aria-hidden>
        {PASSWORD_STRENGTHS.map((each, place) => (
          <i key={each} data-is-filled={place <= filled || undefined} />
        ))}
      </span>
      {sentences(t("passwordStrength.label"), t(`passwordStrength.${strength}`))}
    </p>
  );
}

interface PasswordRulesProps {
  password: string;
  /** Of the account: its user name and address, as far as they are known. The site's is added. */
  names: readonly string[];
}

export function PasswordRules({ password, names }: PasswordRulesProps) {
  const { t } = useTranslation("ui");
  const { system_name, server_address } = useStatus();
  const common = useCommonPasswords(password !== "");
  const length = [...password].length;
  const isLong = length >= PASSWORD_MINIMUM_LENGTH;
  /** A rule about what is typed stands open until there is enough of it to judge. */
  const judged = (isBroken: boolean): State => (isLong ? (isBroken ? "broken" : "met") : "open");
  const ownWords = [...siteNames({ name: system_name, address: server_address }), ...names];
  const rules: readonly [name: string, state: State][] = [
    ["length", length > PASSWORD_MAXIMUM_LENGTH ? "broken" : isLong ? "met" : "open"],
    ["uncommon", common === "" ? "open" : judged(isCommonPassword(password, common))],
    ["ownWords", judged(isMadeOfNames(password, ownWords))],
  ];
  return (
    <div aria-live="polite">
      {password !== "" && (
        <Strength strength={passwordStrength(password, passwordProblem(password, ownWords, common))} />
      )}
      <ul className={styles.rules}>
        {rules.map(([name, state]) => {
          const Icon = ICONS[state];
          return (
            <li key={name} data-state={state}>
              <Icon size={13} stroke={1.5} aria-label={t(`passwordRules.${state}`)} />
              {t(`passwordRules.${name}`, { least: PASSWORD_MINIMUM_LENGTH, most: PASSWORD_MAXIMUM_LENGTH })}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
