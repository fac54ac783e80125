/** The panel of groups: one table of what the four options say, their JSON, and saving what changed. */
import { Button, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconPlus } from "@tabler/icons-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { type GroupUsage, listGroupUsage } from "../../../../../contract/src/features/groups.ts";
import { findJsonError } from "../../../../../contract/src/options/json-places.ts";
import { call } from "../../../lib/api.ts";
import { rowsQuery } from "../../../ui/option-rows.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import { JsonEditor } from "../../../ui/form/json-editor.tsx";
import { PanelBar } from "../../../ui/form/panel-bar.tsx";
import { TryDraft } from "../try-draft.tsx";
import { GroupTable } from "./group-table.tsx";
import { GROUP_OPTIONS, withGroup } from "./groups.ts";
import { type Stored, useGroups } from "./use-groups.ts";
import styles from "./groups.module.css";

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
        <GroupTable
          draft={draft}
          stored={groups.storedGroups}
          usage={usage}
          isTried={groups.isTried}
          mayChangeTopUps={groups.mayChangeTopUps}
          onChange={groups.change}
        />
      ) : (
        <JsonView texts={groups} />
      )}
      {changed.includes("GroupRatio") && !groups.isWrong && <TryRatios text={groups.texts.GroupRatio} />}
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

/** Of the four options only the ratios decide what calls cost. */
function TryRatios({ text }: { text: string }) {
  const draft = useMemo(() => ({ options: { GroupRatio: text } }), [text]);
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
