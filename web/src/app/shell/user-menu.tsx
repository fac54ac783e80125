/** Who is logged in, and the way out. */
import { Menu } from "@mantine/core";
import { IconChevronDown, IconLogout } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Kit } from "../../ui/kit.tsx";
import type { Viewer } from "../../lib/viewer.ts";
import { logOut } from "./session.ts";
import styles from "./top-bar.module.css";

/** Two letters for the avatar: initials of two words, else the first two characters. */
export function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const [first = "", second] = words;
  return (second ? `${[...first][0] ?? ""}${[...second][0] ?? ""}` : [...first].slice(0, 2).join("")).toUpperCase();
}

export function UserMenu({ viewer }: { viewer: Viewer }) {
  const { t } = useTranslation("shell");
  return (
    <Kit>
      <Menu>
        <Menu.Target>
          <button type="button" className={styles.user}>
            <span className={styles.avatar} aria-hidden>
              {initials(viewer.display_name || viewer.username)}
            </span>
            <span className="tp-visually-hidden">{t("userMenu")}</span>
            <span className={styles.userName}>{viewer.username}</span>
            <IconChevronDown size={14} stroke={1.5} aria-hidden />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{viewer.display_name || viewer.username}</Menu.Label>
          <Menu.Item leftSection={<IconLogout size={15} stroke={1.5} />} onClick={() => void logOut()}>
            {t("logOut")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Kit>
  );
}
