/** The menu of named views of the log: the built-in ones, and those that this browser stores. The address alone decides what is shown. */
import { ActionIcon, Popover, TextInput, Tooltip } from "@mantine/core";
import { IconBookmark, IconX } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { visible } from "../../lib/names.ts";
import filterStyles from "../../ui/data-table/filters.module.css";
import { Name } from "../../ui/display/name.tsx";
import { PlainButton } from "../../ui/plain.tsx";
import facetStyles from "./facet-filter.module.css";
import { FILTERS, type LogList } from "./filters.tsx";
import {
  LONGEST_NAME,
  type SavedView,
  storedViews,
  storeViews,
  USUAL_VIEWS,
  type ViewSearch,
  withView,
} from "./model/saved-views.ts";
import styles from "./logs.module.css";

const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, undefined]));

/** The filters in force, as a view keeps them. */
const searchOf = (list: LogList): ViewSearch =>
  Object.fromEntries(Object.entries(list.filters).filter((entry): entry is [string, string] => entry[1] !== undefined));

function SaveForm({ onSave }: { onSave: (name: string) => void }) {
  const { t } = useTranslation("logs");
  const [name, setName] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "") return;
    onSave(name.trim());
    setName("");
  };
  return (
    <form className={styles.saveView} onSubmit={submit}>
      <TextInput
        size="xs"
        aria-label={t("views.name")}
        placeholder={t("views.name")}
        maxLength={LONGEST_NAME}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PlainButton type="submit">{t("views.save")}</PlainButton>
    </form>
  );
}

function SavedRow({ view, onPick, onRemove }: { view: SavedView; onPick: () => void; onRemove: () => void }) {
  const { t } = useTranslation("logs");
  return (
    <div className={styles.savedView}>
      <button type="button" className={facetStyles.choice} onClick={onPick}>
        <Name text={view.name} />
      </button>
      <ActionIcon
        variant="subtle"
        size={28}
        aria-label={t("views.remove", { name: visible(view.name) })}
        onClick={onRemove}
      >
        <IconX size={14} stroke={1.5} />
      </ActionIcon>
    </div>
  );
}

function ViewList({ list, onPicked }: { list: LogList; onPicked: () => void }) {
  const { t } = useTranslation("logs");
  const [views, setViews] = useState(storedViews);
  const keep = (next: readonly SavedView[]) => {
    storeViews(next);
    setViews([...next]);
  };
  const show = (search: ViewSearch) => {
    list.setFilters({ ...NO_FILTERS, ...search });
    onPicked();
  };
  return (
    <div className={facetStyles.choices}>
      {USUAL_VIEWS.map(({ id, search }) => (
        <button key={id} type="button" className={facetStyles.choice} onClick={() => show(search)}>
          {t(`views.${id}`)}
        </button>
      ))}
      {views.map((view) => (
        <SavedRow
          key={view.name}
          view={view}
          onPick={() => show(view.search)}
          onRemove={() => keep(views.filter(({ name }) => name !== view.name))}
        />
      ))}
      <SaveForm onSave={(name) => keep(withView(storedViews(), { name, search: searchOf(list) }))} />
      <p className={filterStyles.hint}>{t("views.hint")}</p>
    </div>
  );
}

export function ViewsMenu({ list }: { list: LogList }) {
  const { t } = useTranslation("logs");
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label={t("views.title")}>
          <ActionIcon
            variant="subtle"
            size={32}
            aria-label={t("views.title")}
            aria-haspopup="dialog"
            onClick={() => setIsOpen(!isOpen)}
          >
            <IconBookmark size={16} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <ViewList list={list} onPicked={() => setIsOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}
