/** The actions of a channel's row: test, the switch, and a menu with the rest. */
import { Switch } from "@mantine/core";
import {
  IconActivity,
  IconCoins,
  IconCopy,
  IconEdit,
  IconExternalLink,
  IconKey,
  IconPlayerPlay,
  IconTrash,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "../../../lib/i18n.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import { CHANNEL_STATUS, type ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { useMay } from "../../../lib/viewer.ts";
import { RowMenu } from "../../../ui/data-table/row-actions.tsx";
import styles from "../channels.module.css";
import { useChannelPlaces } from "./channel-places.tsx";

const glyph = { size: 15, stroke: 1.5 };

export interface ChannelActs {
  edit: (channel: ChannelRow) => void;
  test: (channel: ChannelRow) => void;
  chooseModel: (channel: ChannelRow) => void;
  refreshBalance: (channel: ChannelRow) => void;
  keys: (channel: ChannelRow) => void;
  setEnabled: (channel: ChannelRow, isEnabled: boolean) => void;
  copy: (channel: ChannelRow) => void;
  remove: (channel: ChannelRow) => void;
}

interface Props {
  channel: ChannelRow;
  provider: ProviderRow | undefined;
  acts: ChannelActs;
  /** A test of this channel is under way. */
  isTesting: boolean;
  /** On a phone the name does not open the editor by hover, so the menu says so. */
  isCard?: boolean;
}

/** The menu of a channel; the drawer's head has it too, without 'Edit'. */
export function ChannelMenu({
  channel,
  provider,
  acts,
  hasEdit = true,
}: Omit<Props, "isTesting" | "isCard"> & { hasEdit?: boolean }) {
  const { t } = useTranslation("channels");
  const mayOperate = useMay("channels_operate");
  const mayWrite = useMay("channels_write");
  const mayCopy = useMay("channels_secrets");
  const places = useChannelPlaces(channel);
  const canTest = mayOperate && (provider?.can_test ?? false);
  const tellsBalance = mayOperate && (provider?.tells_balance ?? false);
  const navigate = useNavigate();
  const items = [
    {
      label: t("actions.open"),
      icon: <IconExternalLink {...glyph} />,
      onPick: () => void navigate({ to: "/channel/$id", params: { id: String(channel.id) } }),
    },
    ...(hasEdit ? [{ label: t("actions.edit"), icon: <IconEdit {...glyph} />, onPick: () => acts.edit(channel) }] : []),
    {
      label: t("actions.testModel"),
      icon: <IconActivity {...glyph} />,
      onPick: () => acts.chooseModel(channel),
      isDisabled: !canTest,
    },
    ...(tellsBalance
      ? [
          {
            label: t("balance.refresh"),
            icon: <IconCoins {...glyph} />,
            onPick: () => acts.refreshBalance(channel),
          },
        ]
      : []),
    { label: t("actions.keys"), icon: <IconKey {...glyph} />, onPick: () => acts.keys(channel) },
    ...places,
    {
      label: t("actions.copy"),
      icon: <IconCopy {...glyph} />,
      onPick: () => acts.copy(channel),
      isDisabled: !mayCopy,
    },
    {
      label: t("actions.delete"),
      icon: <IconTrash {...glyph} />,
      onPick: () => acts.remove(channel),
      tone: "danger" as const,
      isDivided: true,
      isDisabled: !mayWrite,
    },
  ];
  return <RowMenu about={channel.name} items={items} />;
}

export function ChannelActions({ channel, provider, acts, isTesting, isCard = false }: Props) {
  const { t } = useTranslation("channels");
  const isEnabled = channel.status === CHANNEL_STATUS.enabled;
  const mayOperate = useMay("channels_operate");
  const maySwitch = useMay(["channels_operate", "channels_write"]);
  return (
    <>
      {mayOperate && (provider?.can_test ?? false) && (
        <BusyButton
          size="xs"
          className={isTesting || isCard ? "" : "tp-row-action"}
          leftSection={<IconPlayerPlay size={13} stroke={1.5} />}
          isBusy={isTesting}
          aria-label={t("actions.testNamed", { name: channel.name })}
          onClick={() => acts.test(channel)}
        >
          {t("actions.test")}
        </BusyButton>
      )}
      <Switch
        className={styles.switch ?? ""}
        aria-label={t(isEnabled ? "actions.disableNamed" : "actions.enableNamed", { name: channel.name })}
        checked={isEnabled}
        disabled={!maySwitch}
        onChange={(event) => acts.setEnabled(channel, event.currentTarget.checked)}
      />
      <ChannelMenu channel={channel} provider={provider} acts={acts} />
    </>
  );
}
