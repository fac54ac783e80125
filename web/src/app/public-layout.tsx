/** Pages without the side bar: top bar, content, footer, on chrome. */
import { Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import styles from "./public-layout.module.css";
import { Footer } from "./shell/footer.tsx";
import { TopBar } from "./shell/top-bar.tsx";

export const PublicFrame = ({ children }: { children: ReactNode }) => (
  <div className={styles.frame}>
    <TopBar />
    <main className={styles.main}>{children}</main>
    <Footer />
  </div>
);

export const PublicLayout = () => (
  <PublicFrame>
    <Outlet />
  </PublicFrame>
);
