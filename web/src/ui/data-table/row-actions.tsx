/** The actions of a row: one text button that appears on hover and focus, then the menu of the rest. */
import { ActionIcon, type ActionIconProps, Button, Menu } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { type ComponentPropsWithRef, type ReactNode, type RefObject, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "../../lib/i18n.ts";

export interface RowAction {
  label: string;
  icon: ReactNode;
  onPick: () => void;
  tone?: "danger";
  isDisabled?: boolean;
  /** The act that is done most: a button of the row in a table, where the menu beside it does not have it again. */
  isFirst?: boolean;
  /** Draws a divider above the item. */
  isDivided?: boolean;
}

export interface RowMenuProps {
  /** Names the row: "Actions for ci-evals". */
  about: string;
  items: readonly RowAction[];
}

const Dots = ({ about, ...button }: { about: string } & ActionIconProps & ComponentPropsWithRef<"button">) => {
  const { t } = useTranslation("ui");
  return (
    <ActionIcon variant="subtle" size={26} aria-label={t("rowActions", { name: about })} {...button}>
      <IconDots size={16} stroke={1.5} />
    </ActionIcon>
  );
};

/** The ⋯ menu. A table has one in each of its rows, so all but the button comes when it is first pressed. */
export function RowMenu({ about, items }: RowMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isUsed, setIsUsed] = useState(false);
  const open = () => {
    flushSync(() => setIsUsed(true));
    button.current?.focus({ preventScroll: true });
    button.current?.click();
  };
  if (!isUsed) return <Dots about={about} aria-haspopup="menu" aria-expanded={false} onClick={open} />;
  return (
    <Menu>
      <Menu.Target>
        <Dots ref={button} about={about} />
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

/** The end of a table row: its first act, unless it is disabled, and the menu of all others. A card has all in its menu. */
export function RowActions({ about, items }: RowMenuProps) {
  const isButton = ({ isFirst = false, isDisabled = false }: RowAction) => isFirst && !isDisabled;
  return (
    <>
      {items.filter(isButton).map(({ label, onPick }) => (
        <RowButton key={label} onClick={onPick}>
          {label}
        </RowButton>
      ))}
      <RowMenu about={about} items={items.filter((item) => !isButton(item))} />
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
