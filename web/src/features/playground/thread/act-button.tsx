/** A small button with an icon below a message; its name shows on hover. */
import { ActionIcon, Tooltip } from "@mantine/core";
import type { TablerIcon } from "@tabler/icons-react";
import { unlessOff } from "../../../ui/plain.tsx";

export const ActButton = ({
  icon: Icon,
  label,
  isDisabled = false,
  onClick,
}: {
  icon: TablerIcon;
  label: string;
  isDisabled?: boolean;
  onClick: () => void;
}) => (
  <Tooltip label={label}>
    <ActionIcon variant="subtle" size={26} aria-label={label} {...unlessOff(isDisabled, onClick)}>
      <Icon size={15} stroke={1.5} />
    </ActionIcon>
  </Tooltip>
);
