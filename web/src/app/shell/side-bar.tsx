/** The side bar: groups of pages, the saved chat applications, and the switch between 200 and 60 px. */
import { Tooltip } from "@mantine/core";
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { getDegradedHealth } from "../../../../contract/src/channels/degraded.ts";
import { call } from "../../lib/api.ts";
import { chatLinks } from "../../lib/chat-links.ts";
import { useStatus } from "../../lib/status.ts";
import { useViewer } from "../../lib/viewer.ts";
import { ChatList, ChatMenu } from "./chat-apps.tsx";
import { areChatsShown, type Entry, useHiding, visibleGroups } from "./entries.tsx";
import styles from "./side-bar.module.css";

/** Adds a tooltip to an icon whose label is hidden. */
const Named = ({ name, isShown, children }: { name: string; isShown: boolean; children: ReactElement }) => (
  <Tooltip label={name} position="right" disabled={!isShown}>
    {children}
  </Tooltip>
);

function PageEntry({
  entry,
  isMarked,
  isCollapsed,
  onPick,
}: {
  entry: Entry;
  /** Something on its page has to be looked at. */
  isMarked: boolean;
  isCollapsed: boolean;
  onPick: (() => void) | undefined;
}) {
  const { t } = useTranslation("shell");
  const own = t(`entries.${entry.id}`);
  const name = isMarked ? t("degraded", { name: own }) : own;
  const isOthers = useLocation({ select: ({ pathname }) => entry.othersAddresses?.includes(pathname) === true });
  return (
    <li>
      <Named name={name} isShown={isCollapsed}>
        <Link
          to={entry.to}
          className={styles.item}
          aria-label={isCollapsed || isMarked ? name : undefined}
          data-is-marked={isMarked || undefined}
          onClick={onPick}
          activeOptions={{ includeSearch: false, exact: isOthers }}
        >
          <entry.icon size={16} stroke={1.5} aria-hidden />
          <span className={styles.itemText}>{own}</span>
        </Link>
      </Named>
    </li>
  );
}

function ChatApps({ isCollapsed, onPick }: { isCollapsed: boolean; onPick: (() => void) | undefined }) {
  const links = chatLinks(useStatus().chats);
  if (links.length === 0) return null;
  return (
    <li>
      {onPick === undefined ? (
        <ChatMenu links={links} isCollapsed={isCollapsed} />
      ) : (
        <ChatList links={links} onPick={onPick} />
      )}
    </li>
  );
}

/** Every open page of an administrator asks. */
const AGAIN_EVERY_MS = 120_000;

/**
 * Whether something is degraded. Where the server could not be asked the mark stays as it was.
 * @param isOn whether there is an entry to mark, which administrators have who may see channels
 */
function useIsDegraded(isOn: boolean): boolean {
  const { data } = useQuery({
    // Under the head of the queries of channels: a change of channels has it asked anew.
    queryKey: ["channels", "degraded"],
    queryFn: ({ signal }) => call(getDegradedHealth, { signal }),
    refetchInterval: AGAIN_EVERY_MS,
    enabled: isOn,
  });
  return data?.is_degraded === true;
}

/** The entry that is marked while something is degraded. */
const HEALTH = "health";

/** All groups; the phone's drawer shows the same and closes itself through `onPick`. */
export function Groups({ isCollapsed, onPick }: { isCollapsed: boolean; onPick?: () => void }) {
  const { t } = useTranslation("shell");
  const viewer = useViewer();
  const hiding = useHiding();
  const { chats } = useStatus();
  const hasChats = areChatsShown(viewer?.role ?? 0, hiding) && chatLinks(chats).length > 0;
  const groups = visibleGroups(viewer, hiding).filter(({ entries }) => entries.length > 0 || hasChats);
  const isDegraded = useIsDegraded(groups.some(({ entries }) => entries.some(({ id }) => id === HEALTH)));
  return (
    <nav className={styles.groups} aria-label={t("consoleNav")}>
      {groups.map((group) => (
        <div key={group.id}>
          <div className={styles.label}>{t(`groups.${group.id}`)}</div>
          <ul className={styles.group}>
            {group.entries.map((entry) => (
              <PageEntry
                key={entry.id}
                entry={entry}
                isMarked={entry.id === HEALTH && isDegraded}
                isCollapsed={isCollapsed}
                onPick={onPick}
              />
            ))}
            {group.id === "chat" && hasChats && <ChatApps isCollapsed={isCollapsed} onPick={onPick} />}
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
