/** The page of a required action (a password, a second factor) on a bare layout: a bar without links, and logging out. */
import { useTranslation } from "../lib/i18n.ts";
import { RequiredActionPage } from "../features/personal/required-page.tsx";
import { PlainButton } from "../ui/plain.tsx";
import { DataAndKit } from "./data-and-kit.tsx";
import styles from "./public-layout.module.css";
import { Footer } from "./shell/footer.tsx";
import { logOut } from "./shell/session.ts";
import { TopBar } from "./shell/top-bar.tsx";

function LogOut() {
  const { t } = useTranslation("shell");
  return <PlainButton onClick={() => void logOut()}>{t("logOut")}</PlainButton>;
}

export const SecureAccount = () => (
  <DataAndKit>
    <div className={styles.frame}>
      <TopBar isBare userMenu={<LogOut />} />
      <main className={styles.main}>
        <RequiredActionPage />
      </main>
      <Footer />
    </div>
  </DataAndKit>
);
