/** The settings page: tabs, the sections of the open tab with their options, panels of other features, and the bar that saves. */
import { Button } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { OptionDescription, OptionRow } from "../../../../contract/src/features/options.ts";
import { Withheld } from "../../ui/feedback/withheld.tsx";
import { useViewer } from "../../lib/viewer.ts";
import { useSearchState } from "../../lib/search.ts";
import { useStore } from "../../lib/store.ts";
import { rowsQuery } from "../../ui/option-rows.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { useUnsavedGuard } from "../../ui/form/unsaved.ts";
import { Page } from "../../ui/page.tsx";
import { createDraftStore, type DraftStore } from "./draft/draft-store.ts";
import { useSaving } from "./draft/saving.ts";
import { type Settings, SettingsContext, useSettings } from "./draft/settings.ts";
import { showOption } from "./jump.ts";
import { refreshed, discarded, stateOf } from "./draft/draft.ts";
import { type SettingPanels, Tabs } from "./tabs.tsx";
import { Loading } from "./loading.tsx";
import { descriptionsQuery } from "./queries.ts";
import { settingSearch } from "./route.ts";
import styles from "./page.module.css";
import { BusyButton } from "../../ui/busy-button.tsx";
import { unlessOff } from "../../ui/plain.tsx";
import { useValueText } from "./rows/value-text.ts";

function Line({ name }: { name: string }) {
  const { t } = useTranslation("options");
  const { store, descriptions, jump } = useSettings();
  const valueText = useValueText();
  const description = descriptions.get(name);
  const { row, text, problem, theirs } = stateOf(store.get(), name);
  if (description === undefined) return null;
  const to = description.is_secret ? t(text === "" ? "value.removed" : "value.replaced") : valueText(description, text);
  return (
    <li className={styles.line} data-is-wrong={problem !== undefined || theirs !== undefined || undefined}>
      <button type="button" className={styles.option} onClick={() => jump(name)}>
        {t(`option.${name}.label`, { defaultValue: name })}
      </button>
      <span className={styles.values}>
        {!description.is_secret && (
          <>
            <del>{valueText(description, row.value)}</del>
            <IconArrowRight size={13} stroke={1.5} role="img" aria-label={t("save.becomes")} />
          </>
        )}
        <ins>{to}</ins>
      </span>
    </li>
  );
}

/** The bar at the bottom of the settings page while something is changed: what will change, and saving or discarding it. */
function SaveBar() {
  const { t } = useTranslation("options");
  const { store, descriptions, isSaving, save } = useSettings();
  const { entries } = useStore(store);
  const names = [...descriptions.keys()].filter((name) => entries.has(name));
  const count = names.length;
  if (count === 0) return null;
  return (
    <div className={styles.bar} role="region" aria-label={t("save.bar")} data-foot-bar>
      <div className={styles.inner}>
        <div className={styles.count}>
          <b>{t("save.count", { count })}</b>
          <span>{t("save.when")}</span>
        </div>
        <ul className={styles.lines}>
          {names.map((name) => (
            <Line key={name} name={name} />
          ))}
        </ul>
        <div className={styles.actions}>
          <Button {...unlessOff(isSaving, () => store.change(discarded))}>{t("save.discard")}</Button>
          <BusyButton variant="filled" isBusy={isSaving} onClick={() => void save()}>
            {t("save.save", { count })}
          </BusyButton>
        </div>
      </div>
    </div>
  );
}

const isSaveKey = (event: KeyboardEvent): boolean =>
  (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "s";

const TYPED = new Set(["text", "password", "url", "search"]);

/** Enter chooses in lists and breaks lines in longer texts; only fields of one line save by it. */
function isEnterInField(event: KeyboardEvent): boolean {
  const { target } = event;
  if (event.key !== "Enter" || event.isComposing || event.defaultPrevented) return false;
  return target instanceof HTMLInputElement && TYPED.has(target.type) && target.closest("[data-option]") !== null;
}

/** Saves the settings by keys: Ctrl+S or Cmd+S anywhere on the page, Enter in the field of an option. */
function useSaveKeys(save: () => Promise<boolean>): void {
  const latest = useRef(save);
  useEffect(() => {
    latest.current = save;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isSaveKey(event) && !isEnterInField(event)) return;
      event.preventDefault();
      void latest.current();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

export function OptionsPage({ panels }: { panels: SettingPanels }) {
  const { t } = useTranslation("options");
  return (
    <Page title={t("title")} purpose={t("purpose")}>
      <Content panels={panels} />
    </Page>
  );
}

function Content({ panels }: { panels: SettingPanels }) {
  const { t } = useTranslation("options");
  const descriptions = useQuery(descriptionsQuery);
  const rows = useQuery(rowsQuery);
  if (descriptions.data !== undefined && rows.data !== undefined) {
    return <Loaded descriptions={descriptions.data} rows={rows.data} panels={panels} />;
  }
  const error = descriptions.error ?? rows.error;
  if (error === null) return <Loading />;
  const retry = () => void Promise.all([descriptions.refetch(), rows.refetch()]);
  return <ErrorState title={t("notLoaded")} error={error} onRetry={retry} />;
}

interface LoadedProps {
  descriptions: readonly OptionDescription[];
  rows: readonly OptionRow[];
  panels: SettingPanels;
}

/** The draft upon the rows of the server, which follow every save and refetch. */
function useDraftStore({ descriptions, rows }: LoadedProps): DraftStore {
  const secrets = useMemo(
    () => new Set(descriptions.filter(({ is_secret }) => is_secret).map(({ key }) => key)),
    [descriptions],
  );
  const [store] = useState(() => {
    const fresh = createDraftStore();
    fresh.change((draft) => refreshed(draft, rows, secrets));
    return fresh;
  });
  useEffect(() => store.change((draft) => refreshed(draft, rows, secrets)), [store, rows, secrets]);
  return store;
}

const isSettingPage = (pathname: string): boolean => pathname === "/setting";

function Loaded(props: LoadedProps) {
  const [, change] = useSearchState(settingSearch);
  const store = useDraftStore(props);
  const descriptions = useMemo(
    () => new Map(props.descriptions.map((each) => [each.key, each] as const)),
    [props.descriptions],
  );
  const jump = (option: string) => {
    const place = descriptions.get(option);
    if (place === undefined) return;
    change({ tab: place.page, section: undefined, option }, "replace");
    // The address may have named it before, which then changes nothing.
    showOption(option);
  };
  const { isSaving, save } = useSaving(store, descriptions, jump);
  const isDirty = useStore(store, ({ entries }) => entries.size > 0);
  useUnsavedGuard(isDirty, isSettingPage);
  useSaveKeys(save);
  const viewer = useViewer();
  const settings: Settings = { store, descriptions, viewer, isSaving, save, jump };
  return (
    <SettingsContext value={settings}>
      <div className={styles.whole}>
        <Withheld permissions={["options", "money"]} />
        <Tabs panels={props.panels} />
        <SaveBar />
      </div>
    </SettingsContext>
  );
}
