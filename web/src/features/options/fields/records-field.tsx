/** The control of options that are lists of records (announcements, questions, API addresses): one box a record, in order. */
import { ActionIcon, Button, Textarea, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "../../../lib/i18n.ts";
import { ChoiceOnUse } from "../../../ui/form/choice-on-use.tsx";
import { FieldLink } from "../../../ui/form/fields.tsx";
import { LazyMomentField } from "../../../ui/lazy-moment.tsx";
import type { FieldProps } from "../draft/settings.ts";
import { movedEntry } from "./chat-list.ts";
import { Step } from "./chats-field.tsx";
import { JsonField } from "./plain-fields.tsx";
import {
  localOf,
  momentOf,
  newRecord,
  readRecords,
  RECORD_LISTS,
  type RecordField,
  type RecordList,
  type SiteRecord,
  writeRecords,
} from "./record-list.ts";
import styles from "./records-field.module.css";

/** @throws RangeError for an option that is no list of records */
function listOf(option: string): RecordList {
  const list = RECORD_LISTS[option];
  if (list === undefined) throw new RangeError(`The option '${option}' is no list of records`);
  return list;
}

export function RecordsField(props: FieldProps) {
  const { t } = useTranslation("options");
  const { field, id, label } = props;
  const [isJson, setIsJson] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const list = listOf(field.description.key);
  const records = readRecords(field.text, list);
  if (records === undefined || isJson) {
    return (
      <div className={styles.whole}>
        <JsonField {...props} />
        <FieldLink isDisabled={records === undefined} onClick={() => setIsJson(false)}>
          {t("chats.asList")}
        </FieldLink>
      </div>
    );
  }
  const set = (next: readonly SiteRecord[]) => field.set(writeRecords(next));
  const move = (from: number, by: -1 | 1) => {
    // Drawn at once, so that the focus has gone with the record before the next key comes.
    flushSync(() => set(movedEntry(records, from, by)));
    const to = Math.min(Math.max(from + by, 0), records.length - 1);
    place.current?.querySelectorAll<HTMLElement>(`[data-step="${by}"]`)[to]?.focus();
  };
  const add = () => {
    const record = newRecord(list);
    set(list.newPlace === "first" ? [record, ...records] : [...records, record]);
  };
  return (
    <div className={styles.whole} ref={place} id={id} role="group" aria-label={label}>
      {records.map((record, index) => (
        <RecordBox
          // Records have no identity but their place.
          key={index}
          list={list}
          record={record}
          place={index + 1}
          count={records.length}
          onChange={(next) => set(records.with(index, next))}
          onMove={(by) => move(index, by)}
          onRemove={() => set(records.filter((_, each) => each !== index))}
        />
      ))}
      <div className={styles.foot}>
        <Button
          leftSection={<IconPlus size={15} stroke={1.5} />}
          disabled={records.length >= list.maximum}
          onClick={add}
        >
          {t(`records.${list.name}.add`)}
        </Button>
        <FieldLink onClick={() => setIsJson(true)}>{t("chats.asJson")}</FieldLink>
        <span className={styles.count}>{t("records.count", { count: records.length, maximum: list.maximum })}</span>
      </div>
    </div>
  );
}

interface RecordBoxProps {
  list: RecordList;
  record: SiteRecord;
  /** From 1. */
  place: number;
  count: number;
  onChange: (record: SiteRecord) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

function RecordBox({ list, record, place, count, onChange, onMove, onRemove }: RecordBoxProps) {
  const { t } = useTranslation("options");
  const name = t(`records.${list.name}.one`, { place });
  return (
    <div className={styles.record} role="group" aria-label={name}>
      <div className={styles.head}>
        <span>{name}</span>
        <Step label={t("chats.up", { name })} by={-1} isOff={place === 1} onMove={onMove} />
        <Step label={t("chats.down", { name })} by={1} isOff={place === count} onMove={onMove} />
        <ActionIcon variant="subtle" size={28} aria-label={t("chats.remove", { name })} onClick={onRemove}>
          <IconTrash size={15} stroke={1.5} />
        </ActionIcon>
      </div>
      {list.fields.map((field) => (
        <RecordInput
          key={field.name}
          field={field}
          label={t(`records.${list.name}.${field.name}`)}
          textOf={(choice) => t(`records.${list.name}.choice.${choice}`)}
          value={record[field.name] ?? ""}
          onChange={(text) => onChange({ ...record, [field.name]: text })}
        />
      ))}
    </div>
  );
}

interface RecordInputProps {
  field: RecordField;
  label: string;
  textOf: (choice: string) => string;
  value: string;
  onChange: (text: string) => void;
}

function RecordInput({ field, label, textOf, value, onChange }: RecordInputProps) {
  const id = useId();
  const { kind, maximumLength, choices = [] } = field;
  if (kind === "choice")
    return (
      <div className={styles.half}>
        <span className={styles.label} id={`${id}-label`}>
          {label}
        </span>
        <ChoiceOnUse
          id={id}
          labelledBy={`${id}-label`}
          choices={choices.map((choice) => ({ value: choice, text: textOf(choice) }))}
          value={value}
          onChange={onChange}
        />
      </div>
    );
  if (kind === "text")
    return (
      <Textarea
        className={styles.wide ?? ""}
        label={label}
        autosize
        minRows={2}
        maxRows={12}
        maxLength={maximumLength}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  if (kind === "moment")
    return (
      <LazyMomentField
        className={styles.half ?? ""}
        label={label}
        value={localOf(value)}
        onChange={(local) => onChange(momentOf(local))}
      />
    );
  return (
    <TextInput
      className={(field.name === "route" ? styles.half : styles.wide) ?? ""}
      label={label}
      autoComplete="off"
      maxLength={maximumLength}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
