/** Avatar and name in the top bar: drawn at once, and as the button of the user's menu when that is loaded. */
import { IconChevronDown } from "@tabler/icons-react";
import type { Viewer } from "../../lib/viewer.ts";
import { visible } from "../../lib/names.ts";
import styles from "./top-bar.module.css";

/** Two letters for the avatar: initials of two words, else the first two characters. */
function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const [first = "", second] = words;
  return (second ? `${[...first][0] ?? ""}${[...second][0] ?? ""}` : [...first].slice(0, 2).join("")).toUpperCase();
}

export const UserFace = ({ viewer }: { viewer: Viewer }) => (
  <>
    <span className={styles.avatar} aria-hidden>
      {initials(visible(viewer.display_name || viewer.username))}
    </span>
    <bdi className={styles.userName}>{visible(viewer.username)}</bdi>
    <IconChevronDown size={14} stroke={1.5} aria-hidden />
  </>
);
