/** An option's value in a few words, for the save bar and 'Was ...'. */
import { language, useTranslation } from "../../../lib/i18n.ts";
import type { OptionDescription } from "../../../../../contract/src/features/options.ts";
import { formatNumber } from "../../../lib/format.ts";

/** Longer values are described by their length. */
const MOST_CHARACTERS = 48;

const GROUPED_FROM = 1000;

const grouped = (text: string): string =>
  /^\d+$/.test(text) && Number(text) >= GROUPED_FROM ? formatNumber(Number(text)) : text;

const linesIn = (text: string): number => text.split("\n").filter((line) => line.trim() !== "").length;

/** A currency in the reader's language, which the browser knows: "Euro (EUR)". */
const currencyName = (code: string): string => {
  const name = new Intl.DisplayNames(language() === "zh" ? "zh-CN" : "en-US", { type: "currency" }).of(code) ?? code;
  return `${name} (${code})`;
};

/** The name of a choice of an option that has no text of its own. */
export const plainChoice = (key: string, choice: string): string =>
  key === "StripeCurrency" ? currencyName(choice) : choice;

/** Gives the words for a text of an option. */
export function useValueText(): (description: OptionDescription, text: string) => string {
  const { t } = useTranslation("options");
  return ({ key, kind, unit }, text) => {
    if (kind === "boolean") return t(text === "true" ? "value.on" : "value.off");
    if (text === "") return t("value.empty");
    if (kind === "choice") return t(`option.${key}.choice.${text}`, { defaultValue: plainChoice(key, text) });
    if (kind === "integer" || kind === "decimal")
      return unit === undefined ? grouped(text) : `${grouped(text)} ${t(`unit.${unit}`, { count: Number(text) })}`;
    if (kind === "lines") return t("value.lines", { count: linesIn(text) });
    if (kind === "commaList") return t("value.entries", { count: text.split(",").length });
    if (text.length > MOST_CHARACTERS || text.includes("\n")) return t("value.characters", { count: text.length });
    return text;
  };
}
