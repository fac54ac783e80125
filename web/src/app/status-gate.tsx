/** Before any page: asks the server what it is, sends everybody to the wizard until it is set up, and says when it cannot be reached. */
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { hasStoredStatus, StatusError, useStatusQuery } from "../lib/status.ts";
import { ErrorState } from "../ui/empty.tsx";

export function StatusGate() {
  const { t } = useTranslation("shell");
  const query = useStatusQuery();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const mustSetUp = query.data?.setup === false && pathname !== "/setup";
  useEffect(() => {
    if (mustSetUp) void navigate({ to: "/setup", replace: true });
  }, [mustSetUp, navigate]);

  if (query.error) {
    const isUnreachable = query.error instanceof StatusError && query.error.kind === "unreachable";
    const shown = new Error(t(isUnreachable ? "status.unreachableHint" : "status.failedHint"));
    return <ErrorState title={t(isUnreachable ? "status.unreachable" : "status.failed")} error={shown} onRetry={() => void query.refetch()} />;
  }
  if (mustSetUp || (query.isPending && !hasStoredStatus())) return null;
  return <Outlet />;
}
