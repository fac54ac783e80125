/** The languages to choose from. */
import { ActionIcon, Menu } from "@mantine/core";
import { IconCheck, IconLanguage } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { LANGUAGES, language, setLanguage } from "../../lib/i18n.ts";

/** Opens with its first drawing: it is loaded by the click that wants it. */
export function LanguageMenu({ label }: { label: string }) {
  useTranslation();
  return (
    <Menu defaultOpened>
      <Menu.Target>
        <ActionIcon variant="subtle" size={32} aria-label={label} title={label}>
          <IconLanguage size={17} stroke={1.5} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {LANGUAGES.map(({ code, name }) => (
          <Menu.Item key={code} lang={code} rightSection={code === language() && <IconCheck size={14} stroke={1.5} />} onClick={() => void setLanguage(code)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
