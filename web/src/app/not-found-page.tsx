/** Any address that is no page (spec section 2). */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Empty } from "../ui/empty.tsx";
import { usePageTitle } from "../ui/page.tsx";
import { buttonLook } from "../ui/plain.tsx";
import { PublicFrame } from "./public-layout.tsx";

export function NotFoundPage() {
  const { t } = useTranslation("shell");
  usePageTitle(t("notFound.title"));
  return (
    <PublicFrame>
      <Empty
        isPage
        title={t("notFound.title")}
        sentence={t("notFound.text")}
        actions={
          <Link to="/" {...buttonLook("filled")}>
            {t("notFound.home")}
          </Link>
        }
      />
    </PublicFrame>
  );
}
