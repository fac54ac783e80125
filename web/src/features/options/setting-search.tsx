/** The search over all settings once it is used: finds by words of either language and jumps to the one that is chosen. */
import { Combobox, useCombobox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { useSettings } from "./draft/settings.ts";
import { findSettings, type Setting } from "./find.ts";
import { SearchInput } from "./search-input.tsx";
import styles from "./setting-search.module.css";

const MOST_SHOWN = 12;

/** The index is made when the user begins to search. */
function useFound(text: string): readonly Setting[] | undefined {
  const { language } = useTranslation("options");
  const { descriptions } = useSettings();
  const { data } = useQuery({
    queryKey: ["options", "index", language],
    queryFn: async () => (await import("./setting-index.ts")).settingIndex([...descriptions.values()]),
    enabled: text.trim() !== "",
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data && findSettings(data, text, MOST_SHOWN);
}

function Found({ found }: { found: readonly Setting[] | undefined }) {
  const { t } = useTranslation("options");
  if (found === undefined) return <Combobox.Empty>{t("search.loading")}</Combobox.Empty>;
  if (found.length === 0) return <Combobox.Empty>{t("search.nothing")}</Combobox.Empty>;
  return found.map(({ id, kind, label, place }) => (
    <Combobox.Option key={`${kind} ${id}`} value={`${kind} ${id}`} className={styles.option ?? ""}>
      <span className={styles.label}>{label}</span>
      <span className={styles.place}>
        {place}
        {kind === "option" && <code className={styles.name}>{id}</code>}
      </span>
    </Combobox.Option>
  ));
}

/** Takes the place of the plain input: with what was typed there, and with the focus where that had it. */
export function SettingSearch({ typed, hasFocus }: { typed: string; hasFocus: boolean }) {
  const { t } = useTranslation("options");
  const { jump } = useSettings();
  const navigate = useNavigate();
  const [text, setText] = useState(typed);
  const found = useFound(text);
  const combobox = useCombobox({
    defaultOpened: typed.trim() !== "",
    onDropdownClose: () => combobox.resetSelectedOption(),
  });
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (hasFocus) input.current?.focus();
  }, [hasFocus]);
  const { selectFirstOption } = combobox;
  // What is found comes after what is typed; Enter means the best of it.
  const first = found?.[0];
  useEffect(() => {
    if (first !== undefined) selectFirstOption();
  }, [first, selectFirstOption]);
  const open = (value: string) => {
    const setting = found?.find(({ id, kind }) => `${kind} ${id}` === value);
    setText("");
    combobox.closeDropdown();
    if (setting?.kind === "option") jump(setting.id);
    else if (setting !== undefined) void navigate({ href: setting.address });
  };
  const change = (typed: string) => {
    setText(typed);
    if (typed.trim() === "") combobox.closeDropdown();
    else combobox.openDropdown();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={open} position="bottom-end" width={380}>
      <Combobox.Target>
        <SearchInput
          ref={input}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          onBlur={() => combobox.closeDropdown()}
          onKeyDown={(event) => event.key === "Escape" && change("")}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={text.trim() === ""} className={styles.dropdown ?? ""}>
        <Combobox.Options aria-label={t("search.label")}>
          <Found found={found} />
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
