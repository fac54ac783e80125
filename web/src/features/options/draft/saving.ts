/** Saves the draft: checks it first, stores it in order, and reports what was stored and what was not. */
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { type OptionDescription, type OptionRow, updateOption } from "../../../../../contract/src/features/options.ts";
import { ApiError, call, refusalText } from "../../../lib/api.ts";
import { language, loadTexts, useTranslation } from "../../../lib/i18n.ts";
import { rowsQuery } from "../../../ui/option-rows.ts";
import { loadStatus } from "../../../lib/status.ts";
import type { Refusal } from "../../../../../contract/src/options/refusals.ts";
import { describeError } from "../../../ui/feedback/describe-error.ts";
import { useManagedQuestion, useMarks } from "../../../ui/managed.tsx";
import { withStepUp } from "../../../ui/feedback/step-up.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { checkChanges, paymentsWithoutAddress, type Change, type Outcome, saveAll, type Sender } from "./save.ts";
import { type Draft, refreshed, refused } from "./draft.ts";
import type { DraftStore } from "./draft-store.ts";
import { isOvertaken, reportOf } from "./report.ts";
import { loadAllTabTexts } from "../tab-texts.tsx";

type Descriptions = ReadonlyMap<string, OptionDescription>;

const SENDER: Sender = {
  send: ({ option, value, revision }) => call(updateOption, { body: { key: option, value, revision } }),
  withStepUp,
  wantsStepUp: (error) => error instanceof ApiError && error.code === "step_up_required",
};

/** The changes of the draft in the order of the page. */
const changesOf = (draft: Draft, descriptions: Descriptions): Change[] =>
  [...descriptions.values()].flatMap(({ key, kind }) => {
    const entry = draft.entries.get(key);
    if (entry === undefined) return [];
    return [{ option: key, value: entry.text, revision: entry.base.revision, isSwitch: kind === "boolean" }];
  });

type Values = Readonly<Record<string, string | number>>;

/** A refusal as a sentence, in which options have their labels. */
function sentenceOf(code: string, values: Values, fallback: string, labelOf: (option: string) => string): string {
  const { option } = values;
  return refusalText(code, typeof option === "string" ? { ...values, option: labelOf(option) } : values) ?? fallback;
}

/** Errors of the options that failed; those that another user changed first show that themselves. */
function problemsOf({ failed }: Outcome, labelOf: (option: string) => string): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  for (const failure of failed) {
    const { option, error } = failure;
    const { message } = describeError(error);
    if (!(error instanceof ApiError)) problems.set(option, message);
    else if (!isOvertaken(failure)) {
      const values = error.extra["values"] as Values | undefined;
      problems.set(option, values === undefined ? message : sentenceOf(error.code ?? "", values, message, labelOf));
    }
  }
  return problems;
}

export function useSaving(store: DraftStore, descriptions: Descriptions, onProblem: (option: string) => void) {
  const { t } = useTranslation("options");
  const queries = useQueryClient();
  const [isSaving, setIsSaving] = useState(false);
  const isBusy = useRef(false);
  const labelOf = (option: string) => t(`option.${option}.label`, { defaultValue: option });
  const report = (outcome: Outcome, rows: readonly OptionRow[]) => {
    const { failed, held } = outcome;
    if (failed.length + held.length === 0) return toast.success(t("save.done"));
    const said = reportOf(outcome, { t, labelOf, rows });
    if (said === undefined) return undefined;
    return toast.error(new Error(said.text, { cause: failed[0]?.error }), said.title);
  };

  const storeAll = async (changes: readonly Change[]): Promise<boolean> => {
    const outcome = await saveAll(changes, SENDER);
    const rows = await queries.fetchQuery({ ...rowsQuery, staleTime: 0 }).catch(() => undefined);
    const sent = new Map(outcome.saved.map(({ option, value }) => [option, value]));
    const secrets = new Set([...descriptions.values()].filter((each) => each.is_secret).map(({ key }) => key));
    const base = rows ?? [...store.get().rows.values()];
    store.change((draft) => refused(refreshed(draft, base, secrets, sent), problemsOf(outcome, labelOf)));
    if (outcome.saved.length > 0) await loadStatus();
    report(outcome, base);
    const first = outcome.failed[0];
    if (first !== undefined) onProblem(first.option);
    return outcome.failed.length + outcome.held.length === 0;
  };

  /** Refusals known before anything is sent. A refusal may name an option of another tab. */
  const problemsIn = async (changes: readonly Change[]): Promise<ReadonlyMap<string, string>> => {
    const [refusals] = await Promise.all([
      checkChanges(changes),
      loadTexts("error-codes"),
      loadAllTabTexts(language()),
    ]);
    const sentence = ({ message, values }: Refusal) => sentenceOf("option_invalid", values, message, labelOf);
    const waiting = paymentsWithoutAddress(changes, store.get(), descriptions);
    return new Map([
      ...waiting.map((option) => [option, t("payment.addressFirst")] as const),
      ...[...refusals].map(([option, refusal]) => [option, sentence(refusal)] as const),
    ]);
  };

  const marks = useMarks("option");
  const mayChange = useManagedQuestion();
  const save = async (): Promise<boolean> => {
    if (isBusy.current) return false;
    isBusy.current = true;
    setIsSaving(true);
    try {
      await store.settled();
      const changes = changesOf(store.get(), descriptions);
      if (changes.length === 0) {
        toast.info(t("save.nothing"));
        return true;
      }
      const problems = await problemsIn(changes);
      const first = changes.find(({ option }) => problems.has(option));
      if (first === undefined) {
        if (!(await mayChange(changes.map(({ option }) => marks.get(option))))) return false;
        return await storeAll(changes);
      }
      store.change((draft) => refused(draft, problems));
      onProblem(first.option);
      return false;
    } finally {
      isBusy.current = false;
      setIsSaving(false);
    }
  };
  return { isSaving, save };
}
