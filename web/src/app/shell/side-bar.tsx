/** The side bar: groups of pages, the saved chat applications, and the switch between 200 and 60 px. */
import { Tooltip } from "@mantine/core";
import {
  IconArrowUpRight,
  IconExternalLink,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
} from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { chatLinks } from "../../lib/chat-links.ts";
import { useStatus } from "../../lib/status.ts";
import { useIsAdmin } from "../../lib/viewer.ts";
import { toast } from "../../ui/toast-store.ts";
import { type Entry, visibleGroups } from "./entries.tsx";
import { openChat } from "./open-chat.ts";
import styles from "./side-bar.module.css";

const REDIRECT_MS = 1500;

/** Names an icon whose text is not drawn. */
const Named = ({ name, isShown, children }: { name: string; isShown: boolean; children: ReactElement }) => (
  <Tooltip label={name} position="right" disabled={!isShown}>
    {children}
  </Tooltip>
);

function PageEntry({
  entry,
  isCollapsed,
  onPick,
}: {
  entry: Entry;
  isCollapsed: boolean;
  onPick: (() => void) | undefined;
}) {
  const { t } = useTranslation("shell");
  const name = t(`entries.${entry.id}`);
  return (
    <li>
      <Named name={name} isShown={isCollapsed}>
        <Link
          to={entry.to}
          className={styles.item}
          aria-label={isCollapsed ? name : undefined}
          onClick={onPick}
          activeOptions={{ includeSearch: false }}
        >
          <entry.icon size={16} stroke={1.5} aria-hidden />
          <span className={styles.itemText}>{name}</span>
        </Link>
      </Named>
    </li>
  );
}

/** Opens a chat application; without a usable token it says so and goes to the tokens after 1.5 s (spec sections 4, 8). */
function useOpenChat(): (template: string) => void {
  const { t } = useTranslation("shell");
  const navigate = useNavigate();
  return (template) => {
    openChat(template).then(
      (isOpened) => {
        if (isOpened) return;
        toast.error(new Error(t("chat.noToken")));
        setTimeout(() => void navigate({ to: "/token" }), REDIRECT_MS);
      },
      (error: unknown) => toast.error(error),
    );
  };
}

function ChatGroup({ isCollapsed }: { isCollapsed: boolean }) {
  const { t } = useTranslation("shell");
  const links = chatLinks(useStatus().chats);
  const open = useOpenChat();
  if (links.length === 0) return null;
  return (
    <div>
      <div className={styles.label}>{t("groups.chat")}</div>
      <ul className={styles.group}>
        {links.map(({ name, template }) => (
          <li key={name}>
            <Named name={name} isShown={isCollapsed}>
              <button
                type="button"
                className={styles.item}
                aria-label={t("chat.open", { name })}
                onClick={() => open(template)}
              >
                <IconExternalLink size={16} stroke={1.5} aria-hidden />
                <span className={styles.itemText}>{name}</span>
                <IconArrowUpRight size={13} stroke={1.5} className={styles.outward} aria-hidden />
              </button>
            </Named>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** All groups; the phone's drawer shows the same. */
export function Groups({ isCollapsed, onPick }: { isCollapsed: boolean; onPick?: () => void }) {
  const { t } = useTranslation("shell");
  const isAdmin = useIsAdmin();
  return (
    <nav className={styles.groups} aria-label={t("consoleNav")}>
      <ChatGroup isCollapsed={isCollapsed} />
      {visibleGroups(isAdmin).map((group) => (
        <div key={group.id}>
          <div className={styles.label}>{t(`groups.${group.id}`)}</div>
          <ul className={styles.group}>
            {group.entries.map((entry) => (
              <PageEntry key={entry.id} entry={entry} isCollapsed={isCollapsed} onPick={onPick} />
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

export function SideBar({ isCollapsed, onToggle }: { isCollapsed: boolean; onToggle: () => void }) {
  const { t } = useTranslation("shell");
  const { version } = useStatus();
  const Icon = isCollapsed ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;
  const name = t(isCollapsed ? "expand" : "collapse");
  return (
    <aside className={styles.bar} data-is-collapsed={isCollapsed || undefined} aria-label={t("sideBar")}>
      <Groups isCollapsed={isCollapsed} />
      <div className={styles.bottom}>
        <Named name={name} isShown={isCollapsed}>
          <button
            type="button"
            className={styles.item}
            aria-label={isCollapsed ? name : undefined}
            aria-expanded={!isCollapsed}
            onClick={onToggle}
          >
            <Icon size={16} stroke={1.5} aria-hidden />
            <span className={styles.itemText}>{name}</span>
          </button>
        </Named>
        <span className={styles.version}>{version && `v${version.replace(/^v/, "")}`}</span>
      </div>
    </aside>
  );
}
