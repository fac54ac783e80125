/** Runs before every page: loads the server's status, redirects to the wizard until the set-up is done, and says when the server cannot be reached. */
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "../lib/i18n.ts";
import { hasStoredStatus, loadStatus, useStatus, useStatusState } from "../lib/status.ts";
import { ErrorState } from "../ui/feedback/empty.tsx";
import styles from "./public-layout.module.css";

export function StatusGate() {
  const { t } = useTranslation("shell");
  const { isKnown, error } = useStatusState();
  const { setup } = useStatus();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const mustSetUp = isKnown && !setup && pathname !== "/setup";
  useEffect(() => void loadStatus(), []);
  useEffect(() => {
    if (mustSetUp) void navigate({ to: "/setup", replace: true, search: true });
  }, [mustSetUp, navigate]);

  if (error) {
    const isUnreachable = error.kind === "unreachable";
    const shown = new Error(t(isUnreachable ? "status.unreachableHint" : "status.failedHint"));
    return (
      <main className={styles.broken}>
        <ErrorState
          isPage
          title={t(isUnreachable ? "status.unreachable" : "status.failed")}
          error={shown}
          onRetry={() => void loadStatus()}
        />
      </main>
    );
  }
  if (mustSetUp || (!isKnown && !hasStoredStatus())) return null;
  return <Outlet />;
}
