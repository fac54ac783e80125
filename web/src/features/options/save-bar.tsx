/** The bar at the bottom of the settings page while something is changed: what will change, and saving or discarding it. */
import { Button } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useStore } from "../../lib/store.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { unlessOff } from "../../ui/plain.tsx";
import { useSettings } from "./draft/settings.ts";
import { discarded, stateOf } from "./draft/draft.ts";
import { useValueText } from "./rows/value-text.ts";
import styles from "./save-bar.module.css";

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

export function SaveBar() {
  const { t } = useTranslation("options");
  const { store, descriptions, isSaving, save } = useSettings();
  const { entries } = useStore(store);
  const names = [...descriptions.keys()].filter((name) => entries.has(name));
  const count = names.length;
  if (count === 0) return null;
  return (
    <div className={styles.bar} role="region" aria-label={t("save.bar")}>
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
