/** A drawer whose token is still loading; it appears only after a while, so that a quick answer does not flicker. */
import { useEffect, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { SideDrawer } from "../../ui/form/form-drawer.tsx";
import styles from "./tokens.module.css";

const PATIENCE_MS = 250;

export function LoadingDrawer({ title, onClose }: { title: string; onClose: () => void }) {
  const { t } = useTranslation("tokens");
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <SideDrawer isOpen onClose={onClose} title={title}>
      <p role="status" className={styles.faint}>
        {t("editor.loading")}
      </p>
    </SideDrawer>
  );
}
