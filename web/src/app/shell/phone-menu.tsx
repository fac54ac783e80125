/** The phone's menu: the side bar's entries in a drawer, with theme, language and logout. */
import { ActionIcon, Button, Drawer } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconLogout, IconMenu2 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useViewer } from "../../lib/viewer.ts";
import styles from "./console-layout.module.css";
import { LanguageButton, ThemeButton } from "./preferences.tsx";
import { logOut } from "./session.ts";
import { Groups } from "./side-bar.tsx";

export function PhoneMenu() {
  const { t } = useTranslation("shell");
  const viewer = useViewer();
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <ActionIcon variant="subtle" size={40} aria-label={t("menu")} aria-expanded={isOpen} onClick={open}>
        <IconMenu2 size={18} stroke={1.5} />
      </ActionIcon>
      <Drawer.Root opened={isOpen} onClose={close} position="left" size={280}>
        <Drawer.Overlay />
        <Drawer.Content aria-label={t("menu")}>
        <div className={styles.drawer}>
          <Groups isCollapsed={false} onPick={close} />
          <div className={styles.drawerRow}>
            <span className={styles.who}>{viewer?.username}</span>
            <ThemeButton />
            <LanguageButton />
          </div>
          <Button leftSection={<IconLogout size={15} stroke={1.5} />} onClick={() => void logOut()}>
            {t("logOut")}
          </Button>
        </div>
        </Drawer.Content>
      </Drawer.Root>
    </>
  );
}
