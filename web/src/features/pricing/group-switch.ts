/** Switching the viewed group, with the toast that says which and at what ratio. */
import { useTranslation } from "react-i18next";
import { formatRatio } from "../../lib/format.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import type { PricePage } from "./view.ts";

/** The click on a group: prices are then those of that group. */
export function useGroupSwitch({
  list,
  groups,
  viewed,
}: Pick<PricePage, "list" | "groups" | "viewed">): (name: string) => void {
  const { t } = useTranslation("pricing");
  return (name) => {
    const group = groups.find((choice) => choice.name === name);
    if (group === undefined || name === viewed?.name) return;
    list.setFilters({ group: group.isOwn ? undefined : name });
    toast.info(t("viewing", { group: name }), t("viewingRatio", { ratio: formatRatio(group.ratio) }));
  };
}
