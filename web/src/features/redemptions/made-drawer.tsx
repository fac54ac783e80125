/** The new codes after they were created: to copy, or to save as a text file. */
import { useTranslation } from "../../lib/i18n.ts";
import { SideDrawer } from "../../ui/form/form-drawer.tsx";
import { KeepCodes } from "./batch.tsx";
import type { MadeCodes } from "./editor-drawer.tsx";
import styles from "./redemptions.module.css";

export function MadeDrawer({ made, onClose }: { made: MadeCodes; onClose: () => void }) {
  const { t } = useTranslation("redemptions");
  const { codes, name } = made;
  return (
    <SideDrawer
      isOpen
      onClose={onClose}
      title={t("made.title", { count: codes.length })}
      hint={t("made.hint")}
      foot={<KeepCodes codes={codes} name={name} isFoot />}
    >
      <p className={styles.lead}>{t("made.lead", { count: codes.length, name })}</p>
      <pre className={`mono ${styles.codes}`} aria-label={t("made.list")}>
        {codes.join("\n")}
      </pre>
    </SideDrawer>
  );
}
