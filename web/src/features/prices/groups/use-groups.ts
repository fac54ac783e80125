/** The draft of the groups, as rows or as JSON, and how it is stored: option by option, those that want a confirmation last. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type OptionRow, updateOption } from "../../../../../contract/src/features/options.ts";
import { isRoot } from "../../../../../contract/src/roles.ts";
import { useRole } from "../../../lib/viewer.ts";
import { findJsonError } from "../../../../../contract/src/options/json-places.ts";
import { ApiError, call } from "../../../lib/api.ts";
import { rowsQuery } from "../../../ui/option-rows.ts";
import { withStepUp } from "../../../ui/feedback/step-up.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { useUnsavedGuard } from "../../../ui/form/unsaved.ts";
import {
  changedOptions,
  GROUP_OPTIONS,
  type GroupOption,
  type Groups,
  type GroupTexts,
  problemOfRow,
  readGroups,
  writeGroups,
} from "./groups.ts";

export type Stored = ReadonlyMap<string, OptionRow>;
type View = "table" | "json";

interface Draft {
  groups: Groups;
  /** As they stand in the JSON view; undefined while the rows are what is edited. */
  texts: GroupTexts | undefined;
  revisions: ReadonlyMap<string, number>;
}

const textsOf = (stored: Stored): GroupTexts =>
  Object.fromEntries(
    GROUP_OPTIONS.map((option) => [option, stored.get(option)?.value ?? "{}"]),
  ) as unknown as GroupTexts;

const revisionsOf = (stored: Stored): ReadonlyMap<string, number> =>
  new Map(GROUP_OPTIONS.map((option) => [option, stored.get(option)?.revision ?? 0]));

const isReadable = (texts: GroupTexts): boolean =>
  GROUP_OPTIONS.every((option) => texts[option].trim() !== "" && findJsonError(texts[option]) === undefined);

/** What is being edited: rows or JSON, against what is stored. */
function useDraft(stored: Stored) {
  const { t } = useTranslation("prices");
  const mayChangeTopUps = isRoot(useRole());
  const storedTexts = textsOf(stored);
  const storedGroups = readGroups(storedTexts);
  const [own, setOwn] = useState<Draft>();
  const [view, setView] = useState<View>("table");

  const draft = own?.groups ?? storedGroups;
  const revisions = own?.revisions ?? revisionsOf(stored);
  const texts = own?.texts ?? (own === undefined ? storedTexts : writeGroups(draft, storedTexts));
  const differing = own?.texts
    ? GROUP_OPTIONS.filter((option) => texts[option] !== storedTexts[option])
    : changedOptions(storedGroups, draft, storedTexts);
  // The ratio of a group that is renamed or gone stays where it is: no group uses it any more.
  const changed = differing.filter((option) => mayChangeTopUps || option !== "TopupGroupRatio");
  const overtaken = changed.find((option) => revisions.get(option) !== (stored.get(option)?.revision ?? 0));

  const change = (groups: Groups) => setOwn({ groups, texts: undefined, revisions });
  const show = (next: View) => {
    if (next === view) return;
    if (next === "table" && !isReadable(texts)) return void toast.error(new Error(t("groups.unreadable")));
    if (next === "table" && own?.texts !== undefined) change(readGroups(texts));
    if (next === "json" && own !== undefined) setOwn({ ...own, texts });
    setView(next);
  };
  return {
    draft,
    texts,
    view,
    changed,
    mayChangeTopUps,
    revisions,
    storedGroups,
    isWrong: own?.texts === undefined ? draft.rows.some((row) => problemOfRow(row) !== undefined) : !isReadable(texts),
    overtakenBy: overtaken === undefined ? undefined : (stored.get(overtaken)?.updated_by ?? ""),
    rebase: () => own && setOwn({ ...own, revisions: revisionsOf(stored) }),
    change,
    changeText: (option: GroupOption, text: string) =>
      setOwn({ groups: draft, texts: { ...texts, [option]: text }, revisions }),
    show,
    drop: () => setOwn(undefined),
  };
}

/** The draft of the groups with what saving it gives. */
export function useGroups(stored: Stored) {
  const { t } = useTranslation("prices");
  const queries = useQueryClient();
  const { drop, isWrong, ...draft } = useDraft(stored);
  const [isTried, setIsTried] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const { freely } = useUnsavedGuard(draft.changed.length > 0);

  const discard = () => {
    drop();
    setProblems(new Map());
    setIsTried(false);
  };
  const failed = (error: unknown): false => {
    if (error instanceof ApiError && error.field !== undefined) setProblems(new Map([[error.field, error.message]]));
    // Who was overtaken reads so in the panel itself; a message beside it would lie over its buttons.
    if (!(error instanceof ApiError && error.code === "option_changed")) toast.error(error);
    return false;
  };
  const save = async (): Promise<void> => {
    setIsTried(true);
    setProblems(new Map());
    if (isWrong) return void toast.error(new Error(t("groups.fix")));
    setIsSaving(true);
    const isDone = await storeAll(draft.changed, draft.texts, draft.revisions).catch(failed);
    // What was stored before something failed is seen as stored; the rest stays a draft.
    await queries.invalidateQueries({ queryKey: rowsQuery.queryKey });
    await queries.invalidateQueries({ queryKey: ["prices"] });
    setIsSaving(false);
    if (!isDone) return;
    freely(discard);
    toast.success(t("groups.saved"));
  };
  return { ...draft, isWrong, problems, isTried, isSaving, discard, save };
}

/** Stores the changed options one after the other, asking at most once who it is; false where the person gave up confirming. */
async function storeAll(
  changed: readonly GroupOption[],
  texts: GroupTexts,
  revisions: ReadonlyMap<string, number>,
): Promise<boolean> {
  for (const option of changed) {
    const body = { key: option, value: texts[option], revision: revisions.get(option) ?? 0 };
    const isStored = await withStepUp(() => call(updateOption, { body }).then(() => true));
    if (isStored !== true) return false;
  }
  return true;
}
