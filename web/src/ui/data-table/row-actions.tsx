/** The actions of a row: one text button that appears on hover and focus, then the menu of the rest. */
import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { type ReactNode, type RefObject, useRef } from "react";
import { useTranslation } from "react-i18next";

export interface RowAction {
  label: string;
  icon?: ReactNode;
  onPick: () => void;
  tone?: "danger";
  isDisabled?: boolean;
  /** Draws a divider above the item. */
  isDivided?: boolean;
}

/** The ⋯ menu. `about` names the row: "Actions for ci-evals". */
export function RowMenu({ about, items }: { about: string; items: readonly RowAction[] }) {
  const { t } = useTranslation("ui");
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" size={26} aria-label={t("rowActions", { name: about })}>
          <IconDots size={16} stroke={1.5} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map((item) => (
          <MenuEntry key={item.label} item={item} button={button} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function MenuEntry({ item, button }: { item: RowAction; button: RefObject<HTMLButtonElement | null> }) {
  const pick = () => {
    // A dialog returns the focus to where it was when it opened, and the menu item is gone by then.
    button.current?.focus();
    item.onPick();
  };
  return (
    <>
      {item.isDivided && <Menu.Divider />}
      <Menu.Item leftSection={item.icon} data-tone={item.tone} disabled={item.isDisabled ?? false} onClick={pick}>
        {item.label}
      </Menu.Item>
    </>
  );
}

/** @example actions={(token) => <RowButton onClick={() => connect(token)}>{t("connect")}</RowButton>} */
export const RowButton = ({
  onClick,
  icon,
  children,
}: {
  onClick: () => void;
  icon?: ReactNode;
  children: ReactNode;
}) => (
  <Button size="xs" className="tp-row-action" leftSection={icon} onClick={onClick}>
    {children}
  </Button>
);
