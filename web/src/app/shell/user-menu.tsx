/** The menu of the logged-in user, with logout. */
import { Menu } from "@mantine/core";
import { IconChevronDown, IconLogout, IconUserCog } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { useViewer, type Viewer } from "../../lib/viewer.ts";
import { Kit } from "../../ui/kit.tsx";
import { logOut } from "./session.ts";
import styles from "./top-bar.module.css";

/** Two letters for the avatar: initials of two words, else the first two characters. */
function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const [first = "", second] = words;
  return (second ? `${[...first][0] ?? ""}${[...second][0] ?? ""}` : [...first].slice(0, 2).join("")).toUpperCase();
}

/** Avatar and name in the top bar, on the button of the menu. */
const UserFace = ({ viewer }: { viewer: Viewer }) => (
  <>
    <span className={styles.avatar} aria-hidden>
      {initials(visible(viewer.display_name || viewer.username))}
    </span>
    <bdi className={styles.userName}>{visible(viewer.username)}</bdi>
    <IconChevronDown size={14} stroke={1.5} aria-hidden />
  </>
);

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
