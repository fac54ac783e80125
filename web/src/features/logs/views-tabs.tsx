/** The views of the log as tabs above the list: the built-in ones, and those that the account has saved. The address alone decides what is shown. */
import { Popover, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { LOG_VIEW_NAME_MAX, type LogViewSearch } from "../../../../contract/src/logs/filters.ts";
import { visible } from "../../lib/names.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { PageTabs } from "../../ui/page-tabs.tsx";
import { PlainButton } from "../../ui/plain.tsx";
import { FILTERS, type LogList } from "./filters.tsx";
import { browserViews, forgetBrowserViews, isSameSearch, USUAL_VIEWS } from "./model/saved-views.ts";
import { removeView, saveViews, VIEWS_KEY, viewsQuery } from "./queries.ts";
import styles from "./logs.module.css";

const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, undefined]));

interface Tab {
  name: string;
  text: string;
  search: LogViewSearch;
  /** Of a saved one. */
  id?: number;
}

function useTabs(): { tabs: Tab[]; isFailed: boolean } {
  const { t } = useTranslation("logs");
  const { data = [], isError } = useQuery(viewsQuery);
  const usual = USUAL_VIEWS.map(({ id, search }) => ({ name: `usual:${id}`, text: t(`views.${id}`), search }));
  const saved = data.map(({ id, name, search }) => ({ name: String(id), text: visible(name), search, id }));
  return { tabs: [...usual, ...saved], isFailed: isError };
}

function useViewActs() {
  const client = useQueryClient();
  const { t } = useTranslation("logs");
  const options = { onSuccess: (views: unknown) => client.setQueryData(VIEWS_KEY, views) };
  const save = useMutation({ mutationFn: saveViews, ...options });
  const remove = useMutation({ mutationFn: removeView, ...options });
  const move = useMutation({
    mutationFn: saveViews,
    onSuccess: (views, sent) => {
      forgetBrowserViews();
      client.setQueryData(VIEWS_KEY, views);
      toast.success(t("views.moved", { count: sent.length }));
    },
  });
  return { save, remove, move };
}

function SaveForm({ onSave }: { onSave: (name: string) => void }) {
  const { t } = useTranslation("logs");
  const [name, setName] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== "") onSave(name.trim());
  };
  return (
    <form className={styles.saveView} onSubmit={submit}>
      <TextInput
        size="xs"
        aria-label={t("views.name")}
        placeholder={t("views.name")}
        maxLength={LOG_VIEW_NAME_MAX}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PlainButton type="submit">{t("views.save")}</PlainButton>
    </form>
  );
}

/** Saves what is shown, or removes the saved view that is shown: one button, which keeps the focus when it becomes the other. */
function ViewButton({ list, shown }: { list: LogList; shown: Tab | undefined }) {
  const { t } = useTranslation("logs");
  const { save, remove, move } = useViewActs();
  const [isOpen, setIsOpen] = useState(false);
  const [inBrowser, setInBrowser] = useState(browserViews);
  const button = useRef<HTMLDivElement>(null);
  const id = shown?.id;
  const onSave = (name: string) => {
    setIsOpen(false);
    save.mutate([{ name, search: list.filters }]);
  };
  const onMove = () =>
    move.mutate(inBrowser, {
      onSuccess: () => {
        button.current?.querySelector("button")?.focus();
        setInBrowser([]);
      },
    });
  return (
    <div className={styles.viewActs} ref={button}>
      <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" trapFocus returnFocus>
        <Popover.Target>
          <PlainButton
            look="ghost"
            onClick={() => (id === undefined ? setIsOpen(!isOpen) : remove.mutate(id))}
            isBusy={save.isPending || remove.isPending}
          >
            {id === undefined ? t("views.saveThis") : t("views.remove", { name: shown?.text })}
          </PlainButton>
        </Popover.Target>
        <Popover.Dropdown>
          <SaveForm onSave={onSave} />
        </Popover.Dropdown>
      </Popover>
      {inBrowser.length > 0 && (
        <PlainButton look="ghost" onClick={onMove} isBusy={move.isPending}>
          {t("views.move", { count: inBrowser.length })}
        </PlainButton>
      )}
    </div>
  );
}

export function ViewsTabs({ list }: { list: LogList }) {
  const { t } = useTranslation("logs");
  const { tabs, isFailed } = useTabs();
  const shown = tabs.findLast(({ search }) => isSameSearch(search, list.filters));
  const open = (name: string) => {
    const tab = tabs.find((each) => each.name === name);
    if (tab !== undefined) list.setFilters({ ...NO_FILTERS, ...tab.search });
  };
  return (
    <div className={styles.views}>
      <PageTabs label={t("views.title")} tabs={tabs} open={shown?.name ?? ""} onOpen={open} />
      {isFailed && <span className={styles.liveNote}>{t("views.notLoaded")}</span>}
      <ViewButton list={list} shown={shown} />
    </div>
  );
}
