/** Lets people choose the columns of a table; the choice is remembered per table. */
import { ActionIcon, Button, Checkbox, Popover } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { readStoredJson, writeStoredJson } from "../../lib/storage.ts";
import type { Column } from "./columns.ts";
import styles from "./data-table.module.css";

/** Column id -> on; ids that are absent follow the column's own default. */
type Choice = Record<string, boolean>;

function storedChoice(name: string): Choice {
  const stored = readStoredJson(`columns:${name}`);
  if (typeof stored !== "object" || stored === null) return {};
  return Object.fromEntries(
    Object.entries(stored).filter((entry): entry is [string, boolean] => typeof entry[1] === "boolean"),
  );
}

/** The chosen columns of the table `name`, and how to change them. */
export function useColumnChoice<Row>(name: string, columns: readonly Column<Row>[]) {
  const [choice, setChoice] = useState(() => storedChoice(name));
  const isOn = (column: Column<Row>): boolean => choice[column.id] ?? column.isOffAtFirst !== true;
  const toggle = (column: Column<Row>): void => {
    const next = { ...choice, [column.id]: !isOn(column) };
    setChoice(next);
    writeStoredJson(`columns:${name}`, next);
  };
  return { chosen: columns.filter(isOn), isOn, toggle };
}

export function ColumnChooser<Row>({
  columns,
  isOn,
  onToggle,
  isIcon,
}: {
  columns: readonly Column<Row>[];
  isOn: (column: Column<Row>) => boolean;
  onToggle: (column: Column<Row>) => void;
  /** Shown as an icon without its label. */
  isIcon: boolean;
}) {
  const { t } = useTranslation("ui");
  const [first, ...rest] = columns;
  if (first === undefined) return null;
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        {isIcon ? (
          <ActionIcon variant="subtle" size={32} aria-label={t("table.columns")} title={t("table.columns")}>
            <IconColumns3 size={17} stroke={1.5} />
          </ActionIcon>
        ) : (
          <Button variant="subtle" leftSection={<IconColumns3 size={16} stroke={1.5} />}>
            {t("table.columns")}
          </Button>
        )}
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.chooser}>
          {rest.map((column) => (
            <Checkbox
              key={column.id}
              size="xs"
              className={styles.choice ?? ""}
              label={column.header}
              checked={isOn(column)}
              onChange={() => onToggle(column)}
            />
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
