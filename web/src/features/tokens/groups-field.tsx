/** The groups that a token of the group `auto` tries: chosen, put in order, and whether failed calls go on from one to the next. */
import { ActionIcon } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconX } from "@tabler/icons-react";
import { useTranslation } from "../../lib/i18n.ts";
import { AUTO_GROUP, type GroupEntries } from "../../../../contract/src/features/groups.ts";
import { TOKEN_GROUPS_MAX } from "../../../../contract/src/features/tokens.ts";
import { ChoiceSelect } from "../../ui/form/choice-select.tsx";
import { Field, Toggle } from "../../ui/form/fields.tsx";
import type { Form } from "../../ui/form/use-form.ts";
import { type FormField, movedGroup, type TokenForm } from "./model/token-form.ts";
import styles from "./groups-field.module.css";

interface Props {
  state: Form<TokenForm, FormField>;
  groups: GroupEntries;
}

export function AutoGroupsField({ state, groups }: Props) {
  const { t } = useTranslation("tokens");
  const { values: form, change } = state;
  const chosen = form.autoGroups;
  const open = Object.keys(groups).filter((name) => name !== AUTO_GROUP && !chosen.includes(name));
  return (
    <>
      <Field label={t("editor.autoGroups")} htmlFor="token-auto-groups" help={t("editor.autoGroupsHelp")}>
        {chosen.length > 0 && (
          <ol className={styles.list} aria-label={t("editor.autoGroups")}>
            {chosen.map((name, place) => (
              <GroupPlace
                key={name}
                name={name}
                isFirst={place === 0}
                isLast={place === chosen.length - 1}
                onMove={(by) => change({ autoGroups: movedGroup(chosen, place, by) })}
                onRemove={() => change({ autoGroups: chosen.toSpliced(place, 1) })}
              />
            ))}
          </ol>
        )}
        {open.length > 0 && chosen.length < TOKEN_GROUPS_MAX && (
          <ChoiceSelect
            id="token-auto-groups"
            label={t("editor.addGroup")}
            choices={[{ value: "", text: t("editor.addGroup") }, ...open.map((value) => ({ value, text: value }))]}
            value=""
            onChange={(name) => {
              if (name !== "") change({ autoGroups: [...chosen, name] });
            }}
          />
        )}
      </Field>
      <Toggle
        isOn={form.retriesAcrossGroups}
        onChange={(retriesAcrossGroups) => change({ retriesAcrossGroups })}
        label={t("editor.crossGroupRetry")}
        text={t("editor.crossGroupRetryHelp")}
      />
    </>
  );
}

interface PlaceProps {
  name: string;
  isFirst: boolean;
  isLast: boolean;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

/** One group with its steps up and down; a step that leads nowhere stays focusable, so that a key pressed again does nothing else. */
function GroupPlace({ name, isFirst, isLast, onMove, onRemove }: PlaceProps) {
  const { t } = useTranslation("tokens");
  return (
    <li className={styles.place}>
      <span className={styles.name}>{name}</span>
      <ActionIcon
        variant="subtle"
        size={26}
        aria-label={t("editor.groupUp", { name })}
        aria-disabled={isFirst}
        data-is-off={isFirst || undefined}
        onClick={() => onMove(-1)}
      >
        <IconArrowUp size={15} stroke={1.5} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        size={26}
        aria-label={t("editor.groupDown", { name })}
        aria-disabled={isLast}
        data-is-off={isLast || undefined}
        onClick={() => onMove(1)}
      >
        <IconArrowDown size={15} stroke={1.5} />
      </ActionIcon>
      <ActionIcon variant="subtle" size={26} aria-label={t("editor.groupRemove", { name })} onClick={onRemove}>
        <IconX size={15} stroke={1.5} />
      </ActionIcon>
    </li>
  );
}
