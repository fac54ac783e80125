/** The line on a page for an administrator with only a part of its permissions: it names the missing ones, so that no button is missing without a reason. */
import { useQuery } from "@tanstack/react-query";
import type { Permission } from "../../../../contract/src/permissions.ts";
import { loadTexts, useTranslation } from "../../lib/i18n.ts";
import { mayOf, useViewer } from "../../lib/viewer.ts";
import { Notice } from "./notice.tsx";

/** Empty where all of them are permitted, and for people who are no administrators. */
export function Withheld({ permissions }: { permissions: readonly Permission[] }) {
  const { t } = useTranslation("permissions");
  const viewer = useViewer();
  const missing = permissions.filter((permission) => !mayOf(viewer, permission));
  // Few administrators are restricted: the words come when they are needed.
  const texts = useQuery({
    queryKey: ["texts", "permissions"],
    queryFn: () => loadTexts("permissions").then(() => true),
    enabled: missing.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (missing.length === 0 || texts.data !== true) return null;
  const names = missing.map((permission) => t(`name.${permission}`)).join(t("comma"));
  return <Notice tone="blue">{t("withheld", { names })}</Notice>;
}
