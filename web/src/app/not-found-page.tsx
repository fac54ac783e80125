/** Any address that is no page (spec section 2). */
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Empty } from "../ui/empty.tsx";
import { usePageTitle } from "../ui/page.tsx";
import { PublicFrame } from "./public-layout.tsx";

export function NotFoundPage() {
  const { t } = useTranslation("shell");
  usePageTitle(t("notFound.title"));
  return (
    <PublicFrame>
      <Empty
        title={t("notFound.title")}
        sentence={t("notFound.text")}
        actions={
          <Button component={Link} to="/" variant="filled">
            {t("notFound.home")}
          </Button>
        }
      />
    </PublicFrame>
  );
}
