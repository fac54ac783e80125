/** Layout of the pages without the side bar: top bar, content, footer. */
import { Outlet } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import styles from "./public-layout.module.css";
import { Footer } from "./shell/footer.tsx";
import { TopBar } from "./shell/top-bar.tsx";

/** A logged-in user sees this layout only on the page for unknown addresses; the login page loads no menus. */
const UserMenu = lazy(async () => ({ default: (await import("./shell/user-menu.tsx")).UserMenu }));

export const PublicFrame = ({ children }: { children: ReactNode }) => (
  <div className={styles.frame}>
    <TopBar
      userMenu={
        <Suspense fallback={null}>
          <UserMenu />
        </Suspense>
      }
    />
    <main className={styles.main}>{children}</main>
    <Footer />
  </div>
);

export const PublicLayout = () => (
  <PublicFrame>
    <Outlet />
  </PublicFrame>
);
