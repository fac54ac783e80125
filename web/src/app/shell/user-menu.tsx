/** The menu of the logged-in user, with logout. */
import { Menu } from "@mantine/core";
import { IconLogout, IconUserCog } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Kit } from "../../ui/kit.tsx";
import { visible } from "../../lib/names.ts";
import { useViewer } from "../../lib/viewer.ts";
import { logOut } from "./session.ts";
import styles from "./top-bar.module.css";
import { UserFace } from "./user-face.tsx";

export function UserMenu() {
  const { t } = useTranslation("shell");
  const viewer = useViewer();
  if (viewer === null) return null;
  return (
    <Kit>
      <Menu>
        <Menu.Target>
          <button type="button" className={styles.user}>
            <span className="tp-visually-hidden">{t("userMenu")}</span>
            <UserFace viewer={viewer} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{visible(viewer.display_name || viewer.username)}</Menu.Label>
          <Menu.Item component={Link} to="/personal" leftSection={<IconUserCog size={15} stroke={1.5} />}>
            {t("entries.personal")}
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={15} stroke={1.5} />} onClick={() => void logOut()}>
            {t("logOut")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Kit>
  );
}
