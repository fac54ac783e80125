/** The bar above every page: logo and name, navigation, then search, theme, language and user. */
import { IconArrowUpRight, IconSearch } from "@tabler/icons-react";
import { Link, useLocation, useMatches } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { useStatus } from "../../lib/status.ts";
import { useViewer } from "../../lib/viewer.ts";
import { isMac } from "../../ui/keys.ts";
import { Mark } from "../../ui/display/mark.tsx";
import { buttonLook } from "../../ui/plain.tsx";
import { LanguageButton, ThemeButton } from "./preferences.tsx";
import { useIsInTopBar } from "./site-pages.tsx";
import styles from "./top-bar.module.css";

const NewYearMenu = lazy(async () => ({ default: (await import("./new-year-menu.tsx")).NewYearMenu }));

function Brand() {
  const { system_name, logo, logo_dark } = useStatus();
  const isOwn = logo !== "" && logo !== "/logo.png";
  return (
    <Link to="/" className={styles.brand}>
      {/* Both stand there, and the style sheet shows one: the theme changes without another picture to wait for. */}
      <span className={styles.mark} data-for={logo_dark === "" ? undefined : "light"}>
        {isOwn ? <img className={styles.logo} src={logo} alt="" /> : <Mark size={22} />}
      </span>
      {logo_dark !== "" && (
        <span className={styles.mark} data-for="dark">
          <img className={styles.logo} src={logo_dark} alt="" />
        </span>
      )}
      <span className={styles.brandName}>{system_name}</span>
    </Link>
  );
}

function Nav() {
  const { t } = useTranslation("shell");
  const { docs_link, enable_data_export } = useStatus();
  const isShown = useIsInTopBar();
  const isConsole = useMatches({ select: (matches) => matches.some(({ routeId }) => routeId === "/console") });
  return (
    <nav className={styles.nav} aria-label={t("mainNav")}>
      {isShown("home") && (
        <Link to="/" className={styles.link} activeOptions={{ exact: true }}>
          {t("nav.home")}
        </Link>
      )}
      {isShown("console") && (
        <Link
          to={enable_data_export ? "/detail" : "/token"}
          className={styles.link}
          data-status={isConsole ? "active" : undefined}
        >
          {t("nav.console")}
        </Link>
      )}
      {isShown("pricing") && (
        <Link to="/pricing" className={styles.link}>
          {t("nav.pricing")}
        </Link>
      )}
      {docs_link !== "" && isShown("docs") && (
        <a href={docs_link} target="_blank" rel="noopener noreferrer" className={styles.link}>
          {t("nav.docs")}
          <IconArrowUpRight size={13} stroke={1.5} aria-hidden />
        </a>
      )}
      {isShown("about") && (
        <Link to="/about" className={styles.link}>
          {t("nav.about")}
        </Link>
      )}
    </nav>
  );
}

function Badge() {
  const { t } = useTranslation("shell");
  const { self_use_mode_enabled, demo_site_enabled } = useStatus();
  if (demo_site_enabled) return <span className={styles.badge}>{t("badge.demo")}</span>;
  return self_use_mode_enabled ? <span className={styles.badge}>{t("badge.selfUse")}</span> : null;
}

function SearchButton({ onOpen }: { onOpen: () => void }) {
  const { t } = useTranslation("shell");
  return (
    <button type="button" className={styles.search} onClick={onOpen} aria-keyshortcuts="Control+K Meta+K">
      <IconSearch size={16} stroke={1.5} aria-hidden />
      <span>{t("search.short")}</span>
      <kbd className={styles.kbd}>{isMac() ? "⌘ K" : "Ctrl K"}</kbd>
    </button>
  );
}

/** Not on a phone, where it has no room, and not where registration is closed, as in self-use mode. */
function RegisterLink() {
  const { t } = useTranslation("shell");
  const { pathname } = useLocation();
  const { setup, register_enabled } = useStatus();
  if (pathname === "/register" || !setup || !register_enabled) return null;
  return (
    <Link to="/register" {...buttonLook("ghost")} className={`${buttonLook().className} ${styles.onlyWide}`}>
      {t("register")}
    </Link>
  );
}

function GuestLink() {
  const { t } = useTranslation("shell");
  const { pathname } = useLocation();
  const { setup } = useStatus();
  if (pathname === "/login" || pathname === "/setup" || !setup) return null;
  return (
    <Link to="/login" {...buttonLook()}>
      {t("logIn")}
    </Link>
  );
}

const isNewYear = (now = new Date()): boolean => now.getMonth() === 0 && now.getDate() === 1;

/**
 * `onSearch` opens the command palette and is there inside the console; `phoneMenu` is the button of the side drawer; `userMenu` is for who is
 * logged in, and comes from the layouts, because this bar is also over pages that do without the parts that menus are made of. `notice` is
 * what the console has to say of the account; `isBare` leaves the links to other pages out.
 */
export function TopBar({
  onSearch,
  phoneMenu,
  userMenu,
  notice,
  isBare = false,
}: {
  onSearch?: () => void;
  phoneMenu?: ReactNode;
  userMenu?: ReactNode;
  notice?: ReactNode;
  isBare?: boolean;
}) {
  const viewer = useViewer();
  const { pathname } = useLocation();
  return (
    <header className={styles.bar}>
      <Brand />
      {isBare || pathname === "/setup" ? <span className={styles.nav} /> : <Nav />}
      <div className={styles.right}>
        <Suspense fallback={null}>{isNewYear() && <NewYearMenu />}</Suspense>
        <Badge />
        {notice}
        {onSearch && <SearchButton onOpen={onSearch} />}
        <span className={phoneMenu ? styles.onlyWide : undefined}>
          <ThemeButton />
        </span>
        <span className={phoneMenu ? styles.onlyWide : undefined}>
          <LanguageButton />
        </span>
        {viewer === null && <RegisterLink />}
        {viewer === null ? <GuestLink /> : userMenu}
        {phoneMenu && <span className={styles.onlyPhone}>{phoneMenu}</span>}
      </div>
    </header>
  );
}
