/** The rules of a parameter override as rows: the fields of each operation by its mode, its conditions, presets, and a preview on a body. */
import { ActionIcon, Checkbox, Menu, Textarea, TextInput } from "@mantine/core";
import { IconArrowUp, IconPlus, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import {
  CONDITION_MODES,
  type ConditionMode,
  modeFields,
  OVERRIDE_BOUNDS,
  type OverrideMode,
} from "../../../../../contract/src/channels/overrides.ts";
import { ChoiceSelect } from "../../../ui/form/choice-select.tsx";
import { FieldLink, Segmented } from "../../../ui/form/fields.tsx";
import {
  type ConditionForm,
  MODES,
  movedUp,
  NO_CONDITION,
  type OperationForm,
  OVERRIDE_PRESETS,
  type OverrideForm,
  type OverridePreset,
  overrideText,
  parseOverride,
  presetOperation,
  withEntry,
} from "../model/overrides.ts";
import { useIsLocked } from "../../../ui/form/locked-fields.tsx";
import styles from "./override.module.css";
import { OverridePreview } from "./override-preview.tsx";

interface ConditionProps {
  condition: ConditionForm;
  name: string;
  onChange: (condition: ConditionForm | undefined) => void;
}

function Condition({ condition, name, onChange }: ConditionProps) {
  const { t } = useTranslation("channel-editor");
  const { path, mode, value, invert, passMissingKey } = condition;
  const change = (changes: Partial<ConditionForm>) => onChange({ ...condition, ...changes });
  return (
    <li className={styles.condition} aria-label={name}>
      <TextInput
        aria-label={t("rules.conditionPath")}
        placeholder="model"
        value={path}
        onChange={(event) => change({ path: event.currentTarget.value })}
      />
      <ChoiceSelect
        label={t("rules.compare")}
        choices={CONDITION_MODES.map((each) => ({ value: each, text: t(`rules.conditionMode.${each}`) }))}
        value={mode}
        onChange={(next) => change({ mode: next as ConditionMode })}
      />
      <TextInput
        aria-label={t("rules.conditionValue")}
        placeholder="gpt-4o"
        value={value}
        onChange={(event) => change({ value: event.currentTarget.value })}
      />
      <ActionIcon
        variant="subtle"
        size={28}
        aria-label={t("rules.removeCondition")}
        onClick={() => onChange(undefined)}
      >
        <IconX size={15} stroke={1.5} />
      </ActionIcon>
      <Checkbox
        size="xs"
        label={t("rules.invert")}
        checked={invert}
        onChange={(event) => change({ invert: event.currentTarget.checked })}
      />
      <Checkbox
        size="xs"
        label={t("rules.passMissing")}
        checked={passMissingKey}
        onChange={(event) => change({ passMissingKey: event.currentTarget.checked })}
      />
    </li>
  );
}

interface OperationProps {
  operation: OperationForm;
  name: string;
  isFirst: boolean;
  onChange: (operation: OperationForm | undefined) => void;
  onMoveUp: () => void;
}

function Conditions({ operation, onChange }: Pick<OperationProps, "operation" | "onChange">) {
  const { t } = useTranslation("channel-editor");
  const { conditions, logic } = operation;
  const set = (next: readonly ConditionForm[]) => onChange({ ...operation, conditions: next });
  return (
    <div className={styles.conditions}>
      {conditions.length > 1 && (
        <Segmented
          label={t("rules.logic")}
          options={[
            { value: "OR", text: t("rules.any") },
            { value: "AND", text: t("rules.all") },
          ]}
          value={logic}
          onChange={(next) => onChange({ ...operation, logic: next === "AND" ? "AND" : "OR" })}
        />
      )}
      <ul className={styles.list}>
        {conditions.map((condition, at) => (
          // Conditions have no identity but their place.
          <Condition
            key={at}
            condition={condition}
            name={t("rules.conditionName", { number: at + 1 })}
            onChange={(next) => set(withEntry(conditions, at, next))}
          />
        ))}
      </ul>
      <FieldLink
        isDisabled={conditions.length >= OVERRIDE_BOUNDS.conditions}
        onClick={() => set([...conditions, NO_CONDITION])}
      >
        {t("rules.addCondition")}
      </FieldLink>
    </div>
  );
}

const PLACES = ["path", "from", "to"] as const;

function OperationFields({ operation, onChange }: Pick<OperationProps, "operation" | "onChange">) {
  const { t } = useTranslation("channel-editor");
  const takes = modeFields(operation.mode);
  const isHeader = takes.changes === "headers";
  return (
    <div className={styles.fields}>
      {PLACES.filter((name) => takes[name] !== undefined && takes[name] !== "alias").map((name) => (
        <TextInput
          key={name}
          label={t(isHeader ? `rules.header.${name}` : `rules.place.${name}`)}
          placeholder={isHeader ? "X-Trace-Id" : "messages.-1.content"}
          autoComplete="off"
          value={operation[name]}
          onChange={(event) => onChange({ ...operation, [name]: event.currentTarget.value })}
        />
      ))}
      {takes.value !== undefined && (
        <Textarea
          className={styles.value ?? ""}
          label={t("rules.value")}
          autosize
          minRows={1}
          maxRows={8}
          value={operation.value}
          onChange={(event) => onChange({ ...operation, value: event.currentTarget.value })}
        />
      )}
      {takes.keepOrigin === true && (
        <Checkbox
          size="xs"
          label={t("rules.keepOrigin")}
          checked={operation.keepOrigin}
          onChange={(event) => onChange({ ...operation, keepOrigin: event.currentTarget.checked })}
        />
      )}
    </div>
  );
}

function Operation({ operation, name, isFirst, onChange, onMoveUp }: OperationProps) {
  const { t } = useTranslation("channel-editor");
  return (
    <li className={styles.operation} aria-label={name}>
      <div className={styles.head}>
        <ChoiceSelect
          label={t("rules.mode")}
          choices={MODES.map((mode) => ({ value: mode, text: t(`rules.modes.${mode}`) }))}
          value={operation.mode}
          onChange={(mode) => onChange({ ...operation, mode: mode as OverrideMode })}
        />
        {!isFirst && (
          <ActionIcon variant="subtle" size={28} aria-label={t("rules.moveUp", { name })} onClick={onMoveUp}>
            <IconArrowUp size={15} stroke={1.5} />
          </ActionIcon>
        )}
        <ActionIcon
          variant="subtle"
          size={28}
          aria-label={t("rules.remove", { name })}
          onClick={() => onChange(undefined)}
        >
          <IconX size={15} stroke={1.5} />
        </ActionIcon>
      </div>
      <OperationFields operation={operation} onChange={onChange} />
      <Conditions operation={operation} onChange={onChange} />
    </li>
  );
}

function AddRule({ isFull, onAdd }: { isFull: boolean; onAdd: (operation: OperationForm) => void }) {
  const { t } = useTranslation("channel-editor");
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button type="button" className={styles.add} aria-disabled={isFull || undefined}>
          <IconPlus size={14} stroke={1.5} aria-hidden />
          {t("rules.add")}
        </button>
      </Menu.Target>
      {!isFull && (
        <Menu.Dropdown>
          {(Object.keys(OVERRIDE_PRESETS) as OverridePreset[]).map((preset) => (
            <Menu.Item key={preset} onClick={() => onAdd(presetOperation(preset))}>
              {t(`rules.presets.${preset}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      )}
    </Menu>
  );
}

const NOTHING: OverrideForm = { plain: "", operations: [] };

export function OverrideRules({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const { t } = useTranslation("channel-editor");
  // The rows are what is typed; the text is made of them.
  const [form, setForm] = useState(() => parseOverride(text) ?? NOTHING);
  const change = (next: OverrideForm) => {
    setForm(next);
    onChange(overrideText(next));
  };
  const isLocked = useIsLocked();
  const { plain, operations } = form;
  const setOperations = (next: readonly OperationForm[]) => change({ ...form, operations: next });
  return (
    <>
      <p className={styles.help}>{t("rules.help")}</p>
      <Textarea
        className={styles.json ?? ""}
        label={t("rules.plain")}
        description={t("rules.plainHelp")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        placeholder='{"temperature": 0}'
        autosize
        minRows={1}
        maxRows={8}
        value={plain}
        onChange={(event) => change({ ...form, plain: event.currentTarget.value })}
      />
      <ol className={styles.list}>
        {operations.map((operation, at) => (
          // Rules have no identity but their place.
          <Operation
            key={at}
            operation={operation}
            name={t("rules.rule", { number: at + 1 })}
            isFirst={at === 0}
            onChange={(next) => setOperations(withEntry(operations, at, next))}
            onMoveUp={() => setOperations(movedUp(operations, at))}
          />
        ))}
      </ol>
      {!isLocked && (
        <>
          <AddRule
            isFull={operations.length >= OVERRIDE_BOUNDS.operations}
            onAdd={(operation) => setOperations([...operations, operation])}
          />
          <OverridePreview text={text} />
        </>
      )}
    </>
  );
}
