/** The controls of the options that show and hide entries of the bars: switches instead of JSON. */
import { useTranslation } from "../../../lib/i18n.ts";
import {
  HEADER_ENTRIES,
  isAlwaysShown,
  isHeaderEntryShown,
  isPricingForUsers,
  isShownBy,
  readHeaderChoice,
  readSidebarChoice,
  SIDEBAR_ENTRIES,
  SIDEBAR_GROUPS,
  withHeaderEntry,
  withPricingForUsers,
  withSidebarEntry,
} from "../../../../../contract/src/bar-entries.ts";
import { ROLE } from "../../../../../contract/src/roles.ts";
import { HEADER_NAMES, SIDEBAR_GROUP_NAMES, SIDEBAR_NAMES } from "../../../lib/bar-names.ts";
import { SwitchGroups } from "../../../ui/form/switch-groups.tsx";
import type { FieldProps } from "../draft/settings.ts";

/** As options of JSON are stored. */
const textOf = (choice: object): string => JSON.stringify(choice, null, 2);

/** `HeaderNavModules`: the entries of the top bar, and whether the price list wants a login. */
export function HeaderEntriesField({ field, id, label, describedBy }: FieldProps) {
  const { t } = useTranslation(["options", "shell"]);
  const choice = readHeaderChoice(field.text);
  const isDisabled = field.isReadOnly;
  const entries = HEADER_ENTRIES.map((entry) => ({
    id: entry,
    label: t(HEADER_NAMES[entry]),
    isOn: isHeaderEntryShown(choice, entry),
    isDisabled,
    onChange: (isShown: boolean) => field.set(textOf(withHeaderEntry(choice, entry, isShown))),
  }));
  const login = {
    id: "requireAuth",
    label: t("bars.pricingForUsers"),
    isOn: isPricingForUsers(choice),
    isDisabled,
    onChange: (isOn: boolean) => field.set(textOf(withPricingForUsers(choice, isOn))),
  };
  return (
    <div id={id} role="group" aria-label={label} aria-describedby={describedBy}>
      <SwitchGroups
        groups={[
          { id: "entries", label: t("bars.shown"), entries },
          { id: "login", label: t("bars.login"), entries: [login] },
        ]}
      />
    </div>
  );
}

/** `SidebarModulesAdmin`: the entries of the side bar by its groups. */
export function SidebarEntriesField({ field, id, label, describedBy }: FieldProps) {
  const { t } = useTranslation(["options", "shell"]);
  const choice = readSidebarChoice(field.text);
  const groups = SIDEBAR_GROUPS.map((group) => ({
    id: group,
    label: t(SIDEBAR_GROUP_NAMES[group]),
    entries: SIDEBAR_ENTRIES[group]
      .filter((entry) => !isAlwaysShown(entry, ROLE.admin))
      .map((entry) => ({
        id: entry,
        label: t(SIDEBAR_NAMES[entry]),
        isOn: isShownBy(choice, group, entry),
        isDisabled: field.isReadOnly,
        // A group that was hidden as a whole comes back with the first of its entries.
        onChange: (isShown: boolean) => {
          const whole = isShown ? withSidebarEntry(choice, { group, entry: "enabled", isShown }) : choice;
          field.set(textOf(withSidebarEntry(whole, { group, entry, isShown })));
        },
      })),
  }));
  return (
    <div id={id} role="group" aria-label={label} aria-describedby={describedBy}>
      <SwitchGroups groups={groups} />
    </div>
  );
}
