/** Layout of the public pages: top bar and content without a side bar. Logged-in users keep the command palette. */
import { useMediaQuery } from "@mantine/hooks";
import { Outlet } from "@tanstack/react-router";
import { useTranslation } from "../lib/i18n.ts";
import { useViewer } from "../lib/viewer.ts";
import { PHONE_QUERY } from "../lib/widths.ts";
import { NoticeCard } from "../features/status/notice-card.tsx";
import { DataAndKit } from "./data-and-kit.tsx";
import styles from "./public-layout.module.css";
import { Footer } from "./shell/footer.tsx";
import { usePalette } from "./shell/palette/palette.tsx";
import { Shortcuts } from "./shell/shortcuts.tsx";
import { PhoneMenu } from "./shell/phone-menu.tsx";
import { UserMenu } from "./shell/user-menu.tsx";
import { TopBar } from "./shell/top-bar.tsx";

/** `isSheet`: the content fills the window and scrolls inside it (lists); otherwise the page scrolls (texts). */
function Frame({ isSheet }: { isSheet: boolean }) {
  const { t } = useTranslation("shell");
  const isPhone = useMediaQuery(PHONE_QUERY, false, { getInitialValueInEffect: false }) ?? false;
  const isUser = useViewer() !== null;
  const palette = usePalette(isUser);
  return (
    <div className={`${styles.frame} ${isSheet ? styles.fixed : ""}`}>
      <a href="#content" className={styles.skip}>
        {t("skip")}
      </a>
      <TopBar
        {...(isUser ? { onSearch: palette.open } : {})}
        phoneMenu={isPhone ? <PhoneMenu /> : undefined}
        userMenu={<UserMenu />}
      />
      <main id="content" className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
      <Footer isInConsole={isSheet} />
      <NoticeCard />
      {palette.place}
      {isUser && <Shortcuts />}
    </div>
  );
}

export const SiteLayout = () => (
  <DataAndKit>
    <Frame isSheet={false} />
  </DataAndKit>
);

export const SheetLayout = () => (
  <DataAndKit>
    <Frame isSheet />
  </DataAndKit>
);
