/** An option's value in a few words, for the save bar and 'Was ...'. */
import { useTranslation } from "react-i18next";
import type { OptionDescription } from "../../../../../contract/src/features/options.ts";
import { formatNumber } from "../../../lib/format.ts";

/** Longer values are described by their length. */
const MOST_CHARACTERS = 48;

const GROUPED_FROM = 1000;

const grouped = (text: string): string =>
  /^\d+$/.test(text) && Number(text) >= GROUPED_FROM ? formatNumber(Number(text)) : text;

const linesIn = (text: string): number => text.split("\n").filter((line) => line.trim() !== "").length;

/** Gives the words for a text of an option. */
export function useValueText(): (description: OptionDescription, text: string) => string {
  const { t } = useTranslation("options");
  return ({ key, kind, unit }, text) => {
    if (kind === "boolean") return t(text === "true" ? "value.on" : "value.off");
    if (text === "") return t("value.empty");
    if (kind === "choice") return t(`option.${key}.choice.${text}`, { defaultValue: text });
    if (kind === "integer" || kind === "decimal")
      return unit === undefined ? grouped(text) : `${grouped(text)} ${t(`unit.${unit}`)}`;
    if (kind === "lines") return t("value.lines", { count: linesIn(text) });
    if (kind === "commaList") return t("value.entries", { count: text.split(",").length });
    if (text.length > MOST_CHARACTERS || text.includes("\n")) return t("value.characters", { count: text.length });
    return text;
  };
}
