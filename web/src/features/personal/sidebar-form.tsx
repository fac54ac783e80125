/** The account's own choice of entries of its side bar; what the site hides is not offered. */
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "../../lib/i18n.ts";
import {
  isAlwaysShown,
  isShownBy,
  readSidebarChoice,
  SIDEBAR_ENTRIES,
  SIDEBAR_GROUPS,
  type SidebarEntry,
  type SidebarGroup,
  withSidebarEntry,
} from "../../../../contract/src/bar-entries.ts";
import { isAdmin, isRoot } from "../../../../contract/src/roles.ts";
import { SIDEBAR_GROUP_NAMES, SIDEBAR_NAMES } from "../../lib/bar-names.ts";
import { useStatus } from "../../lib/status.ts";
import { rememberSidebar } from "../../lib/viewer.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { SwitchGroups } from "../../ui/form/switch-groups.tsx";
import { type Account, saveSetting, useRefreshAccount } from "./queries.ts";
import styles from "./settings-card.module.css";

/** Entries of the super administrator alone. */
const ROOT_ENTRIES: ReadonlySet<SidebarEntry> = new Set(["notification", "system"]);

/** Whether a role has the entry at all. */
const isOffered = (group: SidebarGroup, entry: SidebarEntry, role: number): boolean =>
  group !== "admin" || (ROOT_ENTRIES.has(entry) ? isRoot(role) : isAdmin(role));

export function SidebarForm({ account }: { account: Account }) {
  const { t } = useTranslation(["personal", "shell"]);
  const site = readSidebarChoice(useStatus().SidebarModulesAdmin);
  const refresh = useRefreshAccount();
  const save = useMutation({
    mutationFn: (sidebar_modules: string) => saveSetting({ sidebar_modules }),
    onSuccess: (_, sidebar_modules) => {
      rememberSidebar(sidebar_modules);
      toast.success(t("settings.saved"));
    },
    onSettled: refresh,
  });
  // While it is being saved it shows what was chosen; a refusal puts it back.
  const choice = readSidebarChoice(save.isPending ? save.variables : account.setting.sidebar_modules);
  const groups = SIDEBAR_GROUPS.map((group) => ({
    id: group,
    label: t(SIDEBAR_GROUP_NAMES[group]),
    entries: SIDEBAR_ENTRIES[group]
      .filter((entry) => isOffered(group, entry, account.role) && isShownBy(site, group, entry))
      .filter((entry) => !isAlwaysShown(entry, account.role))
      .map((entry) => ({
        id: entry,
        label: t(SIDEBAR_NAMES[entry]),
        isOn: isShownBy(choice, group, entry),
        isDisabled: save.isPending,
        onChange: (isShown: boolean) => {
          const whole = isShown ? withSidebarEntry(choice, { group, entry: "enabled", isShown }) : choice;
          save.mutate(JSON.stringify(withSidebarEntry(whole, { group, entry, isShown })));
        },
      })),
  })).filter(({ entries }) => entries.length > 0);
  return (
    <div className={styles.form}>
      <p className={styles.about}>{t("sidebar.text")}</p>
      <SwitchGroups groups={groups} />
    </div>
  );
}
