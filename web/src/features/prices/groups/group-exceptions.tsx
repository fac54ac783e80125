/** Exceptions for users of single groups, below the table of groups: ratios by pair of groups, and groups added to or removed from those they may use. */
import { Button, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { AUTO_GROUP } from "../../../../../contract/src/features/groups.ts";
import { ChoiceSelect } from "../../../ui/form/choice-select.tsx";
import { IconButton } from "../../../ui/plain.tsx";
import {
  type ExceptionProblem,
  type Groups,
  type PairRow,
  problemOfPair,
  problemOfSpecial,
  type SpecialRow,
  withPair,
  withSpecial,
} from "./groups.ts";
import styles from "./groups.module.css";

interface Props {
  draft: Groups;
  onChange: (groups: Groups) => void;
}

export function GroupExceptions({ draft, onChange }: Props) {
  return (
    <>
      <Pairs draft={draft} onChange={onChange} />
      <Special draft={draft} onChange={onChange} />
    </>
  );
}

interface ListProps {
  /** Part of the keys of its texts. */
  kind: "pairs" | "special";
  isEmpty: boolean;
  onAdd: () => void;
  children: ReactNode;
}

function List({ kind, isEmpty, onAdd, children }: ListProps) {
  const { t } = useTranslation("prices");
  return (
    <section className={styles.exceptions} aria-label={t(`groups.${kind}.title`)}>
      <h4 className={styles.exceptionsTitle}>{t(`groups.${kind}.title`)}</h4>
      <p className={styles.faint}>{t(`groups.${kind}.help`)}</p>
      {!isEmpty && <ul className={styles.exceptionList}>{children}</ul>}
      <Button leftSection={<IconPlus size={15} stroke={1.5} />} onClick={onAdd}>
        {t(`groups.${kind}.add`)}
      </Button>
    </section>
  );
}

/** The groups to choose from, with one that is chosen already although it has no row. */
const choicesOf = ({ rows }: Groups, chosen: string, others: readonly string[] = []) =>
  [...new Set([...rows.map(({ name }) => name), ...others, chosen])].map((value) => ({ value, text: value }));

const replaced = <Row extends { id: number }>(rows: readonly Row[], row: Row): Row[] =>
  rows.map((each) => (each.id === row.id ? row : each));

const without = <Row extends { id: number }>(rows: readonly Row[], id: number): Row[] =>
  rows.filter((each) => each.id !== id);

function Problem({ problem }: { problem: ExceptionProblem | undefined }) {
  const { t } = useTranslation("prices");
  if (problem === undefined) return null;
  return (
    <p className={styles.exceptionProblem} role="alert">
      {t(`groups.problem.${problem}`)}
    </p>
  );
}

interface RowProps<Row> {
  row: Row;
  draft: Groups;
  onSet: (row: Row) => void;
  onRemove: () => void;
}

function Pairs({ draft, onChange }: Props) {
  const { pairs } = draft;
  return (
    <List kind="pairs" isEmpty={pairs.length === 0} onAdd={() => onChange(withPair(draft))}>
      {pairs.map((row) => (
        <Pair
          key={row.id}
          row={row}
          draft={draft}
          onSet={(changed) => onChange({ ...draft, pairs: replaced(pairs, changed) })}
          onRemove={() => onChange({ ...draft, pairs: without(pairs, row.id) })}
        />
      ))}
    </List>
  );
}

function Pair({ row, draft, onSet, onRemove }: RowProps<PairRow>) {
  const { t } = useTranslation("prices");
  const names = { users: row.userGroup, group: row.group };
  return (
    <li className={styles.exception}>
      <ChoiceSelect
        label={t("groups.usersOf")}
        choices={choicesOf(draft, row.userGroup)}
        value={row.userGroup}
        onChange={(userGroup) => onSet({ ...row, userGroup })}
      />
      <span className={styles.faint}>{t("groups.pairs.payIn")}</span>
      <ChoiceSelect
        label={t("groups.column.name")}
        choices={choicesOf(draft, row.group)}
        value={row.group}
        onChange={(group) => onSet({ ...row, group })}
      />
      <TextInput
        aria-label={t("groups.pairs.ratioOf", names)}
        inputMode="decimal"
        value={row.ratio}
        onChange={(event) => onSet({ ...row, ratio: event.currentTarget.value })}
      />
      <IconButton label={t("groups.pairs.remove", names)} onClick={onRemove}>
        <IconTrash size={16} stroke={1.5} />
      </IconButton>
      <Problem problem={problemOfPair(row, draft)} />
    </li>
  );
}

function Special({ draft, onChange }: Props) {
  const { special } = draft;
  return (
    <List kind="special" isEmpty={special.length === 0} onAdd={() => onChange(withSpecial(draft))}>
      {special.map((row) => (
        <SpecialGroup
          key={row.id}
          row={row}
          draft={draft}
          onSet={(changed) => onChange({ ...draft, special: replaced(special, changed) })}
          onRemove={() => onChange({ ...draft, special: without(special, row.id) })}
        />
      ))}
    </List>
  );
}

function SpecialGroup({ row, draft, onSet, onRemove }: RowProps<SpecialRow>) {
  const { t } = useTranslation("prices");
  const names = { users: row.userGroup, group: row.group };
  return (
    <li className={styles.exception}>
      <ChoiceSelect
        label={t("groups.usersOf")}
        choices={choicesOf(draft, row.userGroup)}
        value={row.userGroup}
        onChange={(userGroup) => onSet({ ...row, userGroup })}
      />
      <ChoiceSelect
        label={t("groups.special.act")}
        choices={[
          { value: "added", text: t("groups.special.added") },
          { value: "taken", text: t("groups.special.taken") },
        ]}
        value={row.isTaken ? "taken" : "added"}
        onChange={(act) => onSet({ ...row, isTaken: act === "taken" })}
      />
      <ChoiceSelect
        label={t("groups.column.name")}
        choices={choicesOf(draft, row.group, [AUTO_GROUP])}
        value={row.group}
        onChange={(group) => onSet({ ...row, group })}
      />
      {!row.isTaken && (
        <TextInput
          aria-label={t("groups.special.descriptionOf", names)}
          placeholder={t("groups.description")}
          value={row.description}
          onChange={(event) => onSet({ ...row, description: event.currentTarget.value })}
        />
      )}
      <IconButton label={t("groups.special.remove", names)} onClick={onRemove}>
        <IconTrash size={16} stroke={1.5} />
      </IconButton>
      <Problem problem={problemOfSpecial(row, draft)} />
    </li>
  );
}
