/** The bar at the end of a panel with unsaved changes: their names, discarding them, and saving. */
import { Button } from "@mantine/core";
import { useTranslation } from "../../lib/i18n.ts";
import { BusyButton } from "../busy-button.tsx";
import { unlessOff } from "../plain.tsx";
import styles from "./panel-bar.module.css";

export function PanelBar({
  title,
  text,
  action,
  isBusy,
  onDiscard,
  onAct,
}: {
  /** "3 tables changed". */
  title: string;
  text: string;
  /** Label of the filled button. */
  action: string;
  isBusy: boolean;
  onDiscard: () => void;
  onAct: () => void;
}) {
  const { t } = useTranslation("ui");
  return (
    <div className={styles.bar} role="region" aria-label={title} data-foot-bar>
      <div className={styles.texts}>
        <b>{title}</b>
        <span>{text}</span>
      </div>
      <Button {...unlessOff(isBusy, onDiscard)}>{t("unsaved.leave")}</Button>
      <BusyButton variant="filled" isBusy={isBusy} onClick={onAct}>
        {action}
      </BusyButton>
    </div>
  );
}
