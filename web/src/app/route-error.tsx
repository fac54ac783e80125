/** A page that failed while it was drawn or loaded: says so in its place and offers to try again. */
import { useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../ui/empty.tsx";

export function RouteError({ error, reset }: { error: unknown; reset: () => void }) {
  const { t } = useTranslation("shell");
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorState title={t("pageFailed")} error={error} onRetry={retry} />;
}
