/** The menu of languages. */
import { Menu } from "@mantine/core";
import { IconCheck, IconLanguage } from "@tabler/icons-react";
import { Kit } from "../../ui/kit.tsx";
import { IconButton } from "../../ui/plain.tsx";
import { language, LANGUAGES, useTranslation } from "../../lib/i18n.ts";
import { chooseLanguage } from "./choose-language.ts";

/** Opens on its first render, because the click that opens it also loads it. */
export function LanguageMenu({ label }: { label: string }) {
  useTranslation();
  return (
    <Kit>
      <Menu defaultOpened>
        <Menu.Target>
          <IconButton label={label}>
            <IconLanguage size={17} stroke={1.5} />
          </IconButton>
        </Menu.Target>
        <Menu.Dropdown>
          {LANGUAGES.map(({ code, name }) => (
            <Menu.Item
              key={code}
              lang={code}
              rightSection={code === language() && <IconCheck size={14} stroke={1.5} />}
              onClick={() => void chooseLanguage(code)}
            >
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Kit>
  );
}
