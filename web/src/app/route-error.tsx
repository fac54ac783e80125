/** Replaces a page that failed to load or render, and offers to try again. */
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "../lib/i18n.ts";
import { isMissingPart, isSiteReachable, reloadOnce } from "../ui/feedback/missing-part.ts";
import { ErrorState } from "../ui/feedback/empty.tsx";

export function RouteError({ error, reset }: { error: unknown; reset: () => void }) {
  const { t } = useTranslation("shell");
  const router = useRouter();
  if (isMissingPart(error)) return <MissingPart error={error} />;
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorState title={t("pageFailed")} error={error} onRetry={retry} />;
}

/** Reloads the page after an update of the site. Where the server does not answer, says so and reloads once the network is back. */
function MissingPart({ error }: { error: unknown }) {
  const { t } = useTranslation("shell");
  const [found, setFound] = useState<"looking" | "offline" | "gone">("looking");
  useEffect(() => {
    let isShown = true;
    const look = async () => {
      const isReachable = await isSiteReachable();
      if (!isShown) return;
      if (!isReachable) setFound("offline");
      else if (!reloadOnce()) setFound("gone");
    };
    const onOnline = () => location.reload();
    void look();
    window.addEventListener("online", onOnline);
    return () => {
      isShown = false;
      window.removeEventListener("online", onOnline);
    };
  }, []);
  const retry = async () => {
    if (await isSiteReachable()) location.reload();
    else setFound("offline");
  };
  if (found === "looking") return null;
  const isOffline = found === "offline";
  return (
    <ErrorState
      title={t(isOffline ? "offline.title" : "pageFailed")}
      error={isOffline ? new Error(t("offline.text")) : error}
      onRetry={() => void retry()}
    />
  );
}
