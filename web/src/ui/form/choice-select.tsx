/** One of many, chosen from a list that can show more than text: a ratio beside a group, a mark before a model. */
import { Combobox, InputBase, useCombobox } from "@mantine/core";
import { IconCheck, IconChevronDown } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import styles from "./choice-select.module.css";
import valueStyles from "./choice-value.module.css";

export interface SelectChoice {
  value: string;
  /** Text for the search and for screen readers. */
  text: string;
  /** The shown content; `text` by default. */
  content?: ReactNode;
  /** Right-aligned in the list only. */
  side?: ReactNode;
}

/** The list has a search field from this number of choices on. */
const SEARCH_FROM = 9;
/** At most this many choices are rendered; searching narrows them down. */
const MAX_SHOWN = 100;

const found = (choices: readonly SelectChoice[], search: string): SelectChoice[] => {
  const words = search.toLowerCase().split(/\s+/);
  return choices.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word))).slice(0, MAX_SHOWN);
};

export interface ChoiceSelectProps {
  /** Accessible name; a separate label element is named by `labelledBy` instead. */
  label?: string;
  labelledBy?: string;
  choices: readonly SelectChoice[];
  value: string;
  onChange: (value: string) => void;
  id?: string;
  /** Without a frame: only the value and a chevron, for rows that have their own frame. */
  isBare?: boolean;
  /** It took the place of a button that was pressed. */
  isOpenAtFirst?: boolean;
  /** It stands in a `PlainDialog`, outside of which nothing can be seen or pressed: so its list stands in there as well. */
  isInPlainDialog?: boolean;
}

/** Where the list is drawn: beside the page, or within the dialog, which does not cut it off. */
const placeOf = ({ isInPlainDialog = false }: ChoiceSelectProps) =>
  isInPlainDialog ? { withinPortal: false, floatingStrategy: "fixed" as const } : { withinPortal: true };

/** Name of the button: its own label with the value, or the label element and itself. */
function nameOf({ label = "", labelledBy, id = "" }: ChoiceSelectProps, text: string) {
  if (labelledBy === undefined) return { "aria-label": `${label} ${text}`.trim() };
  return { "aria-labelledby": `${labelledBy} ${id}`.trim() };
}

/** The state of the list, which opens at the present choice; a searchable one focuses its search when it opens, clears it when it closes, and gives the focus back. */
function useList(hasSearch: boolean, chosenIndex: number, onClose: () => void) {
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      onClose();
      // At once: a timer would take the focus from where the person has gone meanwhile.
      const active = document.activeElement;
      if (active === document.body || active === combobox.searchRef.current) combobox.targetRef.current?.focus();
    },
    onDropdownOpen: () => {
      if (hasSearch) combobox.focusSearchInput();
      // By its number: looked up in the list, it would be set by a timer, and undo an arrow key that came before.
      combobox.updateSelectedOptionIndex(chosenIndex);
    },
  });
  return combobox;
}

function Choice({ choice, isChosen }: { choice: SelectChoice; isChosen: boolean }) {
  return (
    <Combobox.Option value={choice.value} active={isChosen} className={styles.option ?? ""}>
      <span className={`${valueStyles.value} ${styles.text}`}>{choice.content ?? visible(choice.text)}</span>
      {choice.side && <span className={styles.side}>{choice.side}</span>}
      {isChosen && <IconCheck size={14} stroke={1.5} aria-hidden className={styles.check} />}
    </Combobox.Option>
  );
}

function Choices({
  props,
  search,
  onSearch,
}: {
  props: ChoiceSelectProps;
  search: string;
  onSearch?: (text: string) => void;
}) {
  const { t } = useTranslation("ui");
  const { choices, label = "", labelledBy, value } = props;
  const shown = found(choices, search);
  return (
    <Combobox.Dropdown>
      {onSearch && (
        <Combobox.Search
          value={search}
          placeholder={t("search")}
          aria-label={t("search")}
          onChange={(event) => onSearch(event.currentTarget.value)}
        />
      )}
      <Combobox.Options
        mah={280}
        className={styles.options ?? ""}
        {...(labelledBy === undefined ? { "aria-label": label } : { labelledBy })}
      >
        {shown.map((choice) => (
          <Choice key={choice.value} choice={choice} isChosen={choice.value === value} />
        ))}
        {shown.length === 0 && <Combobox.Empty>{t("table.nothingFound")}</Combobox.Empty>}
      </Combobox.Options>
    </Combobox.Dropdown>
  );
}

/** @example <ChoiceSelect label={t("group")} choices={groups} value={group} onChange={setGroup} /> */
export function ChoiceSelect(props: ChoiceSelectProps) {
  const { choices, value, onChange, id, isBare = false } = props;
  const [search, setSearch] = useState("");
  const hasSearch = choices.length >= SEARCH_FROM;
  const chosenIndex = choices.findIndex((choice) => choice.value === value);
  const chosen = choices[chosenIndex];
  const combobox = useList(hasSearch, chosenIndex, () => setSearch(""));
  const opens = useRef(props.isOpenAtFirst === true);
  useEffect(() => {
    if (!opens.current) return;
    opens.current = false;
    combobox.openDropdown();
  });
  const button = {
    type: "button" as const,
    onClick: () => combobox.toggleDropdown(),
    // The first Escape is the open list's: unprevented it would close the dialog around it too.
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === "Escape" && combobox.dropdownOpened) event.preventDefault();
    },
    ...nameOf(props, chosen?.text ?? value),
  };
  const content = <span className={valueStyles.value}>{chosen?.content ?? visible(chosen?.text ?? value)}</span>;
  const take = (next: string) => {
    onChange(next);
    combobox.closeDropdown();
  };
  return (
    <Combobox
      store={combobox}
      position="bottom-start"
      {...placeOf(props)}
      {...(isBare ? { width: 320 } : {})}
      onOptionSubmit={take}
    >
      <Combobox.Target targetType="button">
        {isBare ? (
          <button id={id} className={valueStyles.bare} {...button}>
            {content}
            <IconChevronDown size={14} stroke={1.5} aria-hidden />
          </button>
        ) : (
          <InputBase
            component="button"
            id={id ?? ""}
            pointer
            rightSection={<IconChevronDown size={15} stroke={1.5} />}
            rightSectionPointerEvents="none"
            {...button}
          >
            {content}
          </InputBase>
        )}
      </Combobox.Target>
      <Choices props={props} search={search} {...(hasSearch ? { onSearch: setSearch } : {})} />
    </Combobox>
  );
}
