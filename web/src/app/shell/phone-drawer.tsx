/** What the phone's menu opens: the site's pages and the side bar's entries in a drawer, with theme, language, login or logout. */
import { Button, Drawer } from "@mantine/core";
import { IconBook2, IconLogout } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../lib/i18n.ts";
import { useStatus } from "../../lib/status.ts";
import { useViewer } from "../../lib/viewer.ts";
import styles from "./console-layout.module.css";
import { buttonLook } from "../../ui/plain.tsx";
import { LanguageButton, ThemeButton } from "./preferences.tsx";
import { logOut } from "./session.ts";
import sideBar from "./side-bar.module.css";
import { Groups } from "./side-bar.tsx";
import { useIsInTopBar, useSitePages } from "./site-pages.tsx";

/** Home, prices, the operator's docs and about, for which the top bar has no room. */
function SitePages({ onPick }: { onPick: () => void }) {
  const { t } = useTranslation("shell");
  const { docs_link } = useStatus();
  const pages = useSitePages();
  const isShown = useIsInTopBar();
  return (
    <nav aria-label={t("mainNav")} className={styles.drawerNav}>
      <ul className={sideBar.group}>
        {pages.map(({ id, to, icon: Icon }) => (
          <li key={id}>
            <Link
              to={to}
              className={sideBar.item}
              activeOptions={{ exact: true, includeSearch: false }}
              onClick={onPick}
            >
              <Icon size={16} stroke={1.5} aria-hidden />
              <span className={sideBar.itemText}>{t(`nav.${id}`)}</span>
            </Link>
          </li>
        ))}
        {docs_link !== "" && isShown("docs") && (
          <li>
            <a href={docs_link} target="_blank" rel="noopener noreferrer" className={sideBar.item}>
              <IconBook2 size={16} stroke={1.5} aria-hidden />
              <span className={sideBar.itemText}>{t("nav.docs")}</span>
            </a>
          </li>
        )}
      </ul>
    </nav>
  );
}

export function PhoneDrawer({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { t } = useTranslation("shell");
  const viewer = useViewer();
  return (
    <Drawer.Root opened={isOpen} onClose={close} position="left" size={280}>
      <Drawer.Overlay />
      <Drawer.Content aria-label={t("menu")}>
        <div className={styles.drawer}>
          <SitePages onPick={close} />
          {viewer !== null && <Groups isCollapsed={false} onPick={close} />}
          <div className={styles.drawerRow}>
            <span className={styles.who}>{viewer?.username}</span>
            <ThemeButton />
            <LanguageButton />
          </div>
          {viewer === null ? (
            <Link to="/login" {...buttonLook()} onClick={close}>
              {t("logIn")}
            </Link>
          ) : (
            <Button leftSection={<IconLogout size={15} stroke={1.5} />} onClick={() => void logOut()}>
              {t("logOut")}
            </Button>
          )}
        </div>
      </Drawer.Content>
    </Drawer.Root>
  );
}
