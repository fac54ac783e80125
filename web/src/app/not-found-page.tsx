/** The page for an unknown address. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useViewer } from "../lib/viewer.ts";
import { Empty } from "../ui/feedback/empty.tsx";
import { usePageTitle } from "../ui/page.tsx";
import { buttonLook } from "../ui/plain.tsx";
import { PublicFrame } from "./public-layout.tsx";

export function NotFoundPage() {
  const { t } = useTranslation("shell");
  usePageTitle(t("notFound.title"));
  const isGuest = useViewer() === null;
  return (
    <PublicFrame>
      <Empty
        isPage
        title={t("notFound.title")}
        sentence={t("notFound.text")}
        actions={
          <Link to={isGuest ? "/" : "/token"} {...buttonLook("filled")}>
            {t(isGuest ? "notFound.home" : "notFound.console")}
          </Link>
        }
      />
    </PublicFrame>
  );
}
