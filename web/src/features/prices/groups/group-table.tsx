/** The table of groups: ratio, who may choose it, top-up ratio, place in the automatic order, and what uses each. */
import { ActionIcon, Checkbox, TextInput } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPencil, IconTrash } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { GroupUsage } from "../../../../../contract/src/features/groups.ts";
import { RowMenu } from "../../../ui/data-table/row-actions.tsx";
import { Tag } from "../../../ui/display/tags.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { Toggle } from "../../../ui/form/fields.tsx";
import {
  type GroupProblem,
  type GroupRow,
  type Groups,
  isFree,
  moved,
  problemOfRow,
  renamed,
  toggledAuto,
  withoutGroup,
  withRow,
} from "./groups.ts";
import styles from "./groups.module.css";

const RENAME_ICON = <IconPencil size={15} stroke={1.5} />;
const DELETE_ICON = <IconTrash size={15} stroke={1.5} />;
const LAST = { tone: "danger", isDivided: true } as const;

const NameDialog = lazy(async () => ({ default: (await import("./name-dialog.tsx")).NameDialog }));

interface Props {
  draft: Groups;
  stored: Groups;
  usage: ReadonlyMap<string, GroupUsage>;
  /** Whether saving was tried, after which rows say what is wrong with them. */
  isTried: boolean;
  mayChangeTopUps: boolean;
  onChange: (groups: Groups) => void;
}

export function GroupTable({ draft, stored, usage, isTried, mayChangeTopUps, onChange }: Props) {
  const { t } = useTranslation("prices");
  const [renaming, setRenaming] = useState<string>();
  return (
    <>
      <div className={styles.table} role="table" aria-label={t("groups.title")}>
        <div className={styles.headRow} role="row">
          {["name", "ratio", "usable", "topUp", "auto", "usage"].map((column) => (
            <span key={column} role="columnheader">
              {t(`groups.column.${column}`)}
            </span>
          ))}
          <span role="columnheader" aria-label={t("groups.column.acts")} />
        </div>
        {draft.rows.map((row) => (
          <Row
            key={row.name}
            row={row}
            draft={draft}
            used={stored.rows.some(({ name }) => name === row.name) ? usage.get(row.name) : undefined}
            isTried={isTried}
            mayChangeTopUps={mayChangeTopUps}
            onChange={onChange}
            onRename={() => setRenaming(row.name)}
          />
        ))}
      </div>
      <Automatic draft={draft} onChange={onChange} />
      {renaming !== undefined && (
        <Suspense fallback={null}>
          <NameDialog
            title={t("groups.rename.title", { name: renaming })}
            action={t("groups.rename.action")}
            name={renaming}
            groups={draft}
            refusal={usedText(t, usage.get(renaming), "groups.rename.used")}
            onClose={() => setRenaming(undefined)}
            onName={(name) => {
              onChange(renamed(draft, renaming, name));
              setRenaming(undefined);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

type Translate = ReturnType<typeof useTranslation>["t"];

/** "12 users, 3 tokens and 1 channel", or undefined where nothing uses the group. */
function usageText(t: Translate, used: GroupUsage | undefined): string | undefined {
  const parts = (["users", "tokens", "channels"] as const).flatMap((kind) => {
    const count = used?.[kind] ?? 0;
    return count === 0 ? [] : [t(`groups.used.${kind}`, { count })];
  });
  return parts.length === 0 ? undefined : parts.join(t("groups.comma"));
}

function usedText(t: Translate, used: GroupUsage | undefined, key: string): string | undefined {
  const text = usageText(t, used);
  return text === undefined ? undefined : t(key, { used: text });
}

interface RowProps {
  row: GroupRow;
  draft: Groups;
  used: GroupUsage | undefined;
  isTried: boolean;
  mayChangeTopUps: boolean;
  onChange: (groups: Groups) => void;
  onRename: () => void;
}

const isAbout = (problem: GroupProblem | undefined, field: "ratio" | "topUp"): boolean =>
  problem !== undefined && (problem === "topUp") === (field === "topUp");

function Row({ row, draft, used, isTried, mayChangeTopUps, onChange, onRename }: RowProps) {
  const { t } = useTranslation("prices");
  const problem = problemOfRow(row);
  const { name } = row;
  const set = (change: Partial<GroupRow>) => onChange(withRow(draft, name, change));
  const errorOf = (field: "ratio" | "topUp") =>
    isAbout(problem, field) && (isTried || problem !== "noRatio") ? t(`groups.problem.${problem}`) : undefined;
  const remove = async () => {
    const text = usedText(t, used, "groups.delete.used") ?? t("groups.delete.unused");
    const isSure = await confirm({
      title: t("groups.delete.title", { name }),
      text,
      action: t("groups.delete.action"),
    });
    if (isSure) onChange(withoutGroup(draft, name));
  };
  return (
    <div className={styles.row} role="row">
      <span role="cell" className={styles.name}>
        <b>{name}</b>
        {isFree(row) && <Tag tone="amber">{t("groups.free")}</Tag>}
      </span>
      <span role="cell" data-label={t("groups.column.ratio")}>
        <TextInput
          aria-label={t("groups.ratioOf", { name })}
          inputMode="decimal"
          value={row.ratio}
          error={errorOf("ratio")}
          onChange={(event) => set({ ratio: event.currentTarget.value })}
        />
      </span>
      <span role="cell" className={styles.usable} data-label={t("groups.column.usable")}>
        <Checkbox
          aria-label={t("groups.usableOf", { name })}
          checked={row.description !== undefined}
          onChange={(event) => set({ description: event.currentTarget.checked ? "" : undefined })}
        />
        {row.description === undefined ? (
          <span className={styles.faint}>{t("groups.ownOnly")}</span>
        ) : (
          <TextInput
            aria-label={t("groups.descriptionOf", { name })}
            placeholder={t("groups.description")}
            value={row.description}
            onChange={(event) => set({ description: event.currentTarget.value })}
          />
        )}
      </span>
      <span role="cell" data-label={t("groups.column.topUp")}>
        <TextInput
          aria-label={t("groups.topUpOf", { name })}
          inputMode="decimal"
          placeholder="1"
          value={row.topUp}
          readOnly={!mayChangeTopUps}
          title={mayChangeTopUps ? undefined : t("groups.topUpReadOnly")}
          error={errorOf("topUp")}
          onChange={(event) => set({ topUp: event.currentTarget.value })}
        />
      </span>
      <span role="cell" className={styles.auto} data-label={t("groups.column.auto")}>
        <Place name={name} draft={draft} onChange={onChange} />
      </span>
      <span role="cell" className={styles.faint} data-label={t("groups.column.usage")}>
        {usageText(t, used) ?? t("groups.unused")}
      </span>
      <span role="cell" className={styles.acts}>
        <RowMenu
          about={name}
          items={[
            { label: t("groups.rename.open"), icon: RENAME_ICON, onPick: onRename },
            { label: t("groups.delete.open"), icon: DELETE_ICON, onPick: () => void remove(), ...LAST },
          ]}
        />
      </span>
    </div>
  );
}

/** The place in the automatic order, with its steps up and down. */
function Place({ name, draft, onChange }: { name: string; draft: Groups; onChange: (groups: Groups) => void }) {
  const { t } = useTranslation("prices");
  const place = draft.auto.indexOf(name);
  return (
    <>
      <Checkbox
        aria-label={t("groups.autoOf", { name })}
        checked={place !== -1}
        onChange={() => onChange(toggledAuto(draft, name))}
      />
      {place !== -1 && (
        <>
          <span className={styles.place}>{place + 1}</span>
          <ActionIcon
            variant="subtle"
            size={26}
            aria-label={t("groups.up", { name })}
            aria-disabled={place === 0}
            data-is-off={place === 0 || undefined}
            onClick={() => onChange(moved(draft, name, -1))}
          >
            <IconArrowUp size={15} stroke={1.5} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            size={26}
            aria-label={t("groups.down", { name })}
            aria-disabled={place === draft.auto.length - 1}
            data-is-off={place === draft.auto.length - 1 || undefined}
            onClick={() => onChange(moved(draft, name, 1))}
          >
            <IconArrowDown size={15} stroke={1.5} />
          </ActionIcon>
        </>
      )}
    </>
  );
}

/** Whether people may choose the group `auto`, which tries those of the order. */
function Automatic({ draft, onChange }: { draft: Groups; onChange: (groups: Groups) => void }) {
  const { t } = useTranslation("prices");
  const { autoDescription: description } = draft;
  return (
    <div className={styles.automatic}>
      <Toggle
        isOn={description !== undefined}
        onChange={(isOn) => onChange({ ...draft, autoDescription: isOn ? t("groups.automatic.default") : undefined })}
        label={t("groups.automatic.label")}
        text={
          draft.auto.length === 0
            ? t("groups.automatic.none")
            : t("groups.automatic.text", { order: draft.auto.join(" → ") })
        }
      />
      {description !== undefined && (
        <TextInput
          label={t("groups.automatic.description")}
          value={description}
          onChange={(event) => onChange({ ...draft, autoDescription: event.currentTarget.value })}
        />
      )}
    </div>
  );
}
