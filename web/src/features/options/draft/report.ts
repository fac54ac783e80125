/** What is said of a save that did not store everything: once that something is not saved, then who changed what meanwhile, and what can be done. Pure. */
import type { OptionRow } from "../../../../../contract/src/features/options.ts";
import { ApiError } from "../../../lib/api.ts";
import type { TFunction } from "../../../lib/i18n.ts";
import { sentences } from "../../../lib/translate.ts";
import type { Failure, Outcome } from "./save.ts";

export interface Report {
  title: string;
  text: string;
}

interface Words {
  /** Texts of `options`. */
  t: TFunction;
  labelOf: (option: string) => string;
  /** The options as they are stored now, of which each says who changed it. */
  rows: readonly Pick<OptionRow, "key" | "updated_by">[];
}

/** Whether another user changed it first: the option then shows both values. */
export const isOvertaken = ({ error }: Failure): boolean =>
  error instanceof ApiError && error.code === "option_changed";

/** "root changed A, B while you were editing.", with what can be done. */
function overtakenText(options: readonly Failure[], { t, labelOf, rows }: Words): string {
  const byName = new Map(rows.map(({ key, updated_by }) => [key, updated_by]));
  const names = new Set(options.map(({ option }) => byName.get(option) ?? ""));
  const users = [...names].map((name) => (name === "" ? t("conflict.somebody") : name));
  const comma = t("listComma");
  const labels = options.map(({ option }) => labelOf(option)).join(comma);
  return t("save.overtaken", { users: users.join(comma), options: labels });
}

/** @returns undefined where there is nothing to say: everything was stored, or the person gave the confirmation up before anything was. */
export function reportOf({ saved, failed, held }: Outcome, words: Words): Report | undefined {
  const { t, labelOf } = words;
  if (failed.length === 0 && (held.length === 0 || saved.length === 0)) return undefined;
  const labels = (options: readonly { option: string }[]) =>
    options.map(({ option }) => labelOf(option)).join(t("listComma"));
  const overtaken = failed.filter(isOvertaken);
  const refused = failed.filter((failure) => !isOvertaken(failure));
  const meanwhile = overtaken.length === 0 ? undefined : overtakenText(overtaken, words);
  if (saved.length > 0) {
    const stored = t("save.saved", { options: labels(saved) });
    const open = t("save.notSaved", { options: labels([...failed, ...held]) });
    return { title: t("save.partly"), text: [stored, sentences(open, meanwhile)].join("\n") };
  }
  const wrong = refused.length === 0 ? undefined : t("save.refused", { options: labels(refused) });
  const waiting = held.length === 0 ? undefined : t("save.held", { options: labels(held) });
  return { title: t("save.failed"), text: [meanwhile, wrong, waiting].filter((line) => line !== undefined).join("\n") };
}
