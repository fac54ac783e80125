/** One of many, chosen from a list that can show more than text: a ratio beside a group, a mark before a model. */
import { Combobox, InputBase, useCombobox } from "@mantine/core";
import { IconCheck, IconChevronDown } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import styles from "./choice-select.module.css";

export interface SelectChoice {
  value: string;
  /** What is searched and read out. */
  text: string;
  /** What is drawn; `text` without it. */
  content?: ReactNode;
  /** Right-aligned in the list only. */
  side?: ReactNode;
}

/** From so many choices on the list has a search field. */
const SEARCH_FROM = 9;
/** More are not drawn at once: search narrows them. */
const MOST_SHOWN = 100;

const found = (choices: readonly SelectChoice[], search: string): SelectChoice[] => {
  const words = search.toLowerCase().split(/\s+/);
  return choices.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word))).slice(0, MOST_SHOWN);
};

/**
 * @param isBare no frame: the value and a chevron, for rows that have a frame of their own
 * @example <ChoiceSelect label={t("group")} choices={groups} value={group} onChange={setGroup} />
 */
export function ChoiceSelect({
  label,
  labelledBy,
  choices,
  value,
  onChange,
  id,
  isBare = false,
}: {
  /** Read out; an own label element is named by `labelledBy` instead. */
  label?: string;
  labelledBy?: string;
  choices: readonly SelectChoice[];
  value: string;
  onChange: (value: string) => void;
  id?: string;
  isBare?: boolean;
}) {
  const { t } = useTranslation("ui");
  const [search, setSearch] = useState("");
  const hasSearch = choices.length >= SEARCH_FROM;
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      setSearch("");
      combobox.focusTarget();
    },
    onDropdownOpen: () => {
      if (hasSearch) combobox.focusSearchInput();
      combobox.updateSelectedOptionIndex("active");
    },
  });
  const chosen = choices.find((choice) => choice.value === value);
  const shown = found(choices, search);
  const named =
    labelledBy === undefined
      ? { "aria-label": `${label ?? ""} ${chosen?.text ?? value}`.trim() }
      : { "aria-labelledby": `${labelledBy} ${id ?? ""}`.trim() };
  const content = <span className={styles.value}>{chosen?.content ?? chosen?.text ?? value}</span>;
  return (
    <Combobox
      store={combobox}
      position="bottom-start"
      withinPortal
      {...(isBare ? { width: 320 } : {})}
      onOptionSubmit={(next) => {
        onChange(next);
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target targetType="button">
        {isBare ? (
          <button type="button" id={id} className={styles.bare} onClick={() => combobox.toggleDropdown()} {...named}>
            {content}
            <IconChevronDown size={14} stroke={1.5} aria-hidden />
          </button>
        ) : (
          <InputBase
            component="button"
            type="button"
            id={id ?? ""}
            pointer
            rightSection={<IconChevronDown size={15} stroke={1.5} />}
            rightSectionPointerEvents="none"
            onClick={() => combobox.toggleDropdown()}
            {...named}
          >
            {content}
          </InputBase>
        )}
      </Combobox.Target>
      <Combobox.Dropdown>
        {hasSearch && (
          <Combobox.Search
            value={search}
            placeholder={t("search")}
            aria-label={t("search")}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        )}
        <Combobox.Options
          mah={280}
          className={styles.options ?? ""}
          {...(labelledBy === undefined ? { "aria-label": label ?? "" } : { labelledBy })}
        >
          {shown.map((choice) => (
            <Combobox.Option
              key={choice.value}
              value={choice.value}
              active={choice.value === value}
              className={styles.option ?? ""}
            >
              <span className={styles.value}>{choice.content ?? choice.text}</span>
              {choice.side && <span className={styles.side}>{choice.side}</span>}
              {choice.value === value && <IconCheck size={14} stroke={1.5} aria-hidden className={styles.check} />}
            </Combobox.Option>
          ))}
          {shown.length === 0 && <Combobox.Empty>{t("table.nothingFound")}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
