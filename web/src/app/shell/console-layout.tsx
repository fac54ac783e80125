/** The layout of every console page: top bar, side bar, content, and on a phone one column with a drawer. */
import { useMediaQuery } from "@mantine/hooks";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { PERMISSIONS } from "../../../../contract/src/permissions.ts";
import { isAdmin } from "../../../../contract/src/roles.ts";
import { learnPermissions } from "../../lib/api.ts";
import { formatQuota } from "../../lib/format.ts";
import { useLowBalance } from "../../lib/low-balance.ts";
import { useStatus } from "../../lib/status.ts";
import { readStored, STORAGE, writeStored } from "../../lib/storage.ts";
import { onOtherViewer, useViewer } from "../../lib/viewer.ts";
import { NARROW_WIDTH, PHONE_QUERY } from "../../lib/widths.ts";
import { NoticeCard } from "../../features/status/notice-card.tsx";
import { DataAndKit } from "../data-and-kit.tsx";
import { NotAllowedPage } from "../not-found-page.tsx";
import styles from "./console-layout.module.css";
import { mayOpen } from "./entries.tsx";
import { Footer } from "./footer.tsx";
import { usePalette } from "./palette/palette.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { SideBar } from "./side-bar.tsx";
import { PhoneMenu } from "./phone-menu.tsx";
import { UserMenu } from "./user-menu.tsx";
import { TopBar } from "./top-bar.tsx";
import bar from "./top-bar.module.css";

const SeeingBar = lazy(async () => ({ default: await (await import("./seeing-bar.tsx")).loadBar() }));

/** Names and keys are set in it; asked for with the frame, it is there before the rows are, which then do not move when it comes. */
function useMonospace(): void {
  useEffect(() => void document.fonts.load('1em "JetBrains Mono Variable"').catch(() => undefined), []);
}

/** Initial state of the side bar: as stored, otherwise as the operator set it; below 1100 px it always starts collapsed. */
function useCollapsed(): [boolean, () => void] {
  const { default_collapse_sidebar } = useStatus();
  const [isCollapsed, setIsCollapsed] = useState(() => {
    if (window.innerWidth < NARROW_WIDTH) return true;
    const stored = readStored(STORAGE.isSideBarCollapsed);
    return stored === null ? default_collapse_sidebar : stored === "true";
  });
  const toggle = () => {
    setIsCollapsed(!isCollapsed);
    writeStored(STORAGE.isSideBarCollapsed, String(!isCollapsed));
  };
  return [isCollapsed, toggle];
}

/** Without the frame where the viewer may not open the page: its buttons and lists would only be refused one by one. */
export function ConsoleLayout() {
  const pathname = useLocation({ select: (location) => location.pathname });
  const viewer = useViewer();
  // What was taken from an administrator may have been given back since they logged in.
  const isRestricted = (viewer?.admin_permissions?.length ?? PERMISSIONS.length) < PERMISSIONS.length;
  const isAsked = isRestricted && isAdmin(viewer?.role ?? 0);
  useEffect(() => {
    if (isAsked) learnPermissions().catch(() => undefined);
  }, [isAsked]);
  if (!mayOpen(pathname, viewer)) return <NotAllowedPage />;
  return (
    <DataAndKit>
      <Frame />
    </DataAndKit>
  );
}

/** A balance below the viewer's threshold, with the way to the wallet; where the bar is tight the words are left to screen readers, and the amount stays. */
function LowBalance() {
  const { t } = useTranslation("shell");
  const quota = useLowBalance();
  useStatus();
  if (quota === undefined) return null;
  return (
    <Link to="/topup" className={bar.lowBalance}>
      <IconAlertTriangle size={14} stroke={1.5} aria-hidden />
      <span className={bar.lowBalanceWords}>{t("lowBalance")}</span>
      <b>{formatQuota(quota, 2)}</b>
    </Link>
  );
}

function Frame() {
  const { t } = useTranslation("shell");
  const isPhone = useMediaQuery(PHONE_QUERY, false, { getInitialValueInEffect: false }) ?? false;
  const [isCollapsed, toggleCollapsed] = useCollapsed();
  const palette = usePalette();
  const isSeeing = useViewer()?.seen !== undefined;
  useMonospace();
  // The data on the screen belongs to a user who has logged out; a reload asks for a login or shows the new user's data.
  useEffect(() => onOtherViewer(() => location.reload()), []);
  return (
    <div className={styles.frame}>
      <a href="#content" className={styles.skip}>
        {t("skip")}
      </a>
      {isSeeing && (
        <Suspense fallback={null}>
          <SeeingBar />
        </Suspense>
      )}
      <TopBar
        onSearch={palette.open}
        phoneMenu={isPhone ? <PhoneMenu /> : undefined}
        userMenu={<UserMenu />}
        notice={<LowBalance />}
      />
      <div className={styles.below}>
        {!isPhone && <SideBar isCollapsed={isCollapsed} onToggle={toggleCollapsed} />}
        <div className={styles.column}>
          <main id="content" className={styles.sheet} tabIndex={-1}>
            <Outlet />
          </main>
          <Footer isInConsole />
        </div>
      </div>
      <NoticeCard />
      {palette.place}
      <Shortcuts />
    </div>
  );
}
