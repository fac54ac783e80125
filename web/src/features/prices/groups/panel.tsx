/** The panel of groups: one table over the four options that hold them, their JSON, and saving. */
import { Button, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { IconPlus } from "@tabler/icons-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { type GroupUsage, listGroupUsage } from "../../../../../contract/src/features/groups.ts";
import { findJsonError } from "../../../../../contract/src/options/json-places.ts";
import { call, ApiError } from "../../../lib/api.ts";
import { rowsQuery } from "../../../ui/option-rows.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import { JsonEditor } from "../../../ui/form/json-editor.tsx";
import { PanelBar } from "../../../ui/form/panel-bar.tsx";
import { TryDraft } from "../try-draft.tsx";
import { GroupExceptions } from "./group-exceptions.tsx";
import { GroupTable } from "./group-table.tsx";
import {
  GROUP_OPTIONS,
  withGroup,
  changedOptions,
  type GroupOption,
  type Groups,
  type GroupTexts,
  isRight,
  readGroups,
  writeGroups,
} from "./groups.ts";
import styles from "./groups.module.css";
import { type OptionRow, updateOption } from "../../../../../contract/src/features/options.ts";
import { isRoot } from "../../../../../contract/src/roles.ts";
import { useRole } from "../../../lib/viewer.ts";
import { withStepUp } from "../../../ui/feedback/step-up.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { useUnsavedGuard } from "../../../ui/form/unsaved.ts";

type Stored = ReadonlyMap<string, OptionRow>;
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

/** The edited values, rows or JSON, against the stored ones. */
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
    isWrong: own?.texts === undefined ? !isRight(draft) : !isReadable(texts),
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
function useGroups(stored: Stored) {
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
    // A conflict is shown in the panel itself; a message beside it would cover its buttons.
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

const NameDialog = lazy(async () => ({ default: (await import("./name-dialog.tsx")).NameDialog }));

export function GroupsPanel() {
  const { t } = useTranslation("prices");
  const rows = useQuery(rowsQuery);
  const usage = useQuery({
    queryKey: ["groups", "usage"],
    queryFn: ({ signal }) => call(listGroupUsage, { signal }),
  });
  const stored = useMemo(() => new Map(rows.data?.map((row) => [row.key, row] as const)), [rows.data]);
  const used = useMemo(() => new Map(usage.data?.map((row) => [row.group, row] as const)), [usage.data]);
  const error = rows.error ?? usage.error;
  if (rows.data !== undefined && usage.data !== undefined) return <Loaded stored={stored} usage={used} />;
  if (error === null) return <div className={styles.loading} role="status" aria-label={t("groups.loading")} />;
  const retry = () => void Promise.all([rows.refetch(), usage.refetch()]);
  return <ErrorState title={t("groups.notLoaded")} error={error} onRetry={retry} />;
}

function Loaded({ stored, usage }: { stored: Stored; usage: ReadonlyMap<string, GroupUsage> }) {
  const { t } = useTranslation("prices");
  const groups = useGroups(stored);
  const [isAdding, setIsAdding] = useState(false);
  const { draft, view, changed } = groups;
  const add = (name: string) => {
    groups.change(withGroup(draft, name));
    setIsAdding(false);
  };
  return (
    <div>
      <div className={styles.head}>
        <Segmented
          label={t("groups.view.label")}
          options={[
            { value: "table", text: t("groups.view.table") },
            { value: "json", text: "JSON" },
          ]}
          value={view}
          onChange={groups.show}
        />
        {view === "table" && (
          <Button leftSection={<IconPlus size={15} stroke={1.5} />} onClick={() => setIsAdding(true)}>
            {t("groups.add.open")}
          </Button>
        )}
      </div>
      {groups.overtakenBy !== undefined && (
        <div className={styles.overtaken}>
          <Notice tone="amber">
            {t(groups.overtakenBy === "" ? "groups.conflict.somebody" : "groups.conflict.text", {
              user: groups.overtakenBy,
            })}
          </Notice>
          <Button onClick={groups.discard}>{t("groups.conflict.theirs")}</Button>
          <Button onClick={groups.rebase}>{t("groups.conflict.mine")}</Button>
        </div>
      )}
      {view === "table" ? (
        <>
          <GroupTable
            draft={draft}
            stored={groups.storedGroups}
            usage={usage}
            isTried={groups.isTried}
            mayChangeTopUps={groups.mayChangeTopUps}
            onChange={groups.change}
          />
          <GroupExceptions draft={draft} onChange={groups.change} />
        </>
      ) : (
        <JsonView texts={groups} />
      )}
      {changed.some((option) => option === "GroupRatio" || option === "GroupGroupRatio") && !groups.isWrong && (
        <TryRatios texts={groups.texts} />
      )}
      {changed.length > 0 && (
        <PanelBar
          title={t("groups.changed")}
          text={changed.map((option) => t(`groups.option.${option}`)).join(t("groups.comma"))}
          action={t("groups.save")}
          isBusy={groups.isSaving}
          onDiscard={groups.discard}
          onAct={() => void groups.save()}
        />
      )}
      {isAdding && (
        <Suspense fallback={null}>
          <NameDialog
            title={t("groups.add.title")}
            action={t("groups.add.action")}
            groups={draft}
            onClose={() => setIsAdding(false)}
            onName={add}
          />
        </Suspense>
      )}
    </div>
  );
}

/** Of the options only the ratios decide what calls cost. */
function TryRatios({ texts: { GroupRatio, GroupGroupRatio } }: { texts: GroupTexts }) {
  const draft = useMemo(() => ({ options: { GroupRatio, GroupGroupRatio } }), [GroupRatio, GroupGroupRatio]);
  return <TryDraft draft={draft} />;
}

type Texts = Pick<ReturnType<typeof useGroups>, "texts" | "changeText" | "problems" | "mayChangeTopUps">;

function JsonView({ texts }: { texts: Texts }) {
  const { t } = useTranslation("prices");
  return (
    <div className={styles.json}>
      {!texts.mayChangeTopUps && (
        <Textarea
          label={t("groups.option.TopupGroupRatio")}
          description={t("groups.topUpReadOnly")}
          value={texts.texts.TopupGroupRatio}
          autosize
          maxRows={16}
          readOnly
        />
      )}
      {GROUP_OPTIONS.filter((option) => texts.mayChangeTopUps || option !== "TopupGroupRatio").map((option) => (
        <JsonEditor
          key={option}
          label={t(`groups.option.${option}`)}
          help={t(`groups.help.${option}`)}
          value={texts.texts[option]}
          onChange={(text) => texts.changeText(option, text)}
          error={findJsonError(texts.texts[option]) === undefined ? texts.problems.get(option) : undefined}
        />
      ))}
    </div>
  );
}
