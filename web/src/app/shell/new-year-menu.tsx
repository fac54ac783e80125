/** On 1 January: a greeting in the top bar. */
import { ActionIcon, Menu } from "@mantine/core";
import { IconConfetti } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { Kit } from "../../ui/kit.tsx";

export function NewYearMenu() {
  const { t } = useTranslation("shell");
  const [year] = useState(() => new Date().getFullYear());
  return (
    <Kit>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="subtle" size={32} aria-label={t("newYear.label")}>
            <IconConfetti size={17} stroke={1.5} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item>{t("newYear.greeting", { year })}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Kit>
  );
}
