/** Shows that there is no token to use, and leads to the tokens a moment later. */
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { REDIRECT_MS } from "./key-use.ts";

export function NoToken() {
  const { t } = useTranslation("shell");
  const navigate = useNavigate();
  useEffect(() => {
    const timer = setTimeout(() => void navigate({ to: "/token" }), REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [navigate]);
  return <Notice tone="amber">{t("chat.noToken")}</Notice>;
}
