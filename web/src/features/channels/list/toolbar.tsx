/** The row above the channel list: filters left, tag mode, order and the acts on all channels right. */
import { ActionIcon, Menu, Switch } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../../lib/i18n.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import { CHANNEL_STATUS } from "../../../../../contract/src/features/channels.ts";
import type { ListState } from "../../../ui/data-table/list-state.ts";
import { ChoiceFilter, SearchFilter, TextFilter } from "../../../ui/data-table/filters.tsx";
import styles from "../channels.module.css";
import { TEST_FILTERS } from "../model/failure.ts";
import { groupsQuery } from "../queries.ts";

type ChannelList = ListState<"keyword" | "status" | "group" | "model" | "type" | "test">;

const STATUS_FILTERS = [
  { value: CHANNEL_STATUS.enabled, text: "status.enabled" },
  { value: CHANNEL_STATUS.disabled, text: "status.disabled" },
  { value: CHANNEL_STATUS.autoDisabled, text: "status.autoDisabled" },
] as const;

export function ChannelFilters({ list, providers }: { list: ChannelList; providers: readonly ProviderRow[] }) {
  const { t } = useTranslation("channels");
  const groups = useQuery(groupsQuery);
  const { filters, setFilters } = list;
  return (
    <>
      <SearchFilter
        label={t("search")}
        value={filters.keyword ?? ""}
        onChange={(keyword, step) => setFilters({ keyword }, step)}
      />
      <ChoiceFilter
        label={t("columns.status")}
        choices={STATUS_FILTERS.map(({ value, text }) => ({ value: String(value), text: t(text) }))}
        value={filters.status}
        onChange={(status) => setFilters({ status })}
      />
      <ChoiceFilter
        label={t("filters.test")}
        choices={TEST_FILTERS.map(({ value }) => ({ value, text: t(`filters.tests.${value}`) }))}
        value={filters.test}
        onChange={(test) => setFilters({ test })}
      />
      <ChoiceFilter
        label={t("filters.group")}
        choices={(groups.data ?? []).map((group) => ({ value: group, text: group }))}
        value={filters.group}
        onChange={(group) => setFilters({ group })}
      />
      <TextFilter label={t("filters.model")} value={filters.model} onChange={(model) => setFilters({ model })} />
      <ChoiceFilter
        label={t("filters.type")}
        choices={providers.map(({ id, name }) => ({ value: String(id), text: name }))}
        value={filters.type}
        onChange={(type) => setFilters({ type })}
      />
    </>
  );
}

function LabelledSwitch({
  label,
  isOn,
  onChange,
}: {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) {
  return (
    <label className={styles.switchLabel} data-is-on={isOn || undefined}>
      <Switch aria-label={label} checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

export interface ToolsProps {
  isTagMode: boolean;
  isById: boolean;
  onTagMode: (isOn: boolean) => void;
  onById: (isOn: boolean) => void;
  onDeleteDisabled: () => void;
  onFix: () => void;
  onRefreshBalances: () => void;
}

export function ChannelTools({
  isTagMode,
  isById,
  onTagMode,
  onById,
  onDeleteDisabled,
  onFix,
  onRefreshBalances,
}: ToolsProps) {
  const { t } = useTranslation("channels");
  return (
    <>
      <span className={styles.inRow}>
        <LabelledSwitch label={t("groupByTag")} isOn={isTagMode} onChange={onTagMode} />
        <LabelledSwitch label={t("sortById")} isOn={isById} onChange={onById} />
      </span>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="subtle" size={32} aria-label={t("more")}>
            <IconDots size={16} stroke={1.5} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <span className={styles.inMenu}>
            <Menu.Item onClick={() => onTagMode(!isTagMode)}>{t(isTagMode ? "ungroup" : "groupByTag")}</Menu.Item>
            <Menu.Item onClick={() => onById(!isById)}>{t(isById ? "sortByPriority" : "sortById")}</Menu.Item>
            <Menu.Divider />
          </span>
          <Menu.Item component={Link} to="/channel/route">
            {t("explainRoute")}
          </Menu.Item>
          <Menu.Item onClick={onRefreshBalances}>{t("balanceAll.action")}</Menu.Item>
          <Menu.Item onClick={onFix}>{t("fix.action")}</Menu.Item>
          <Menu.Item data-tone="danger" onClick={onDeleteDisabled}>
            {t("deleteDisabled.action")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
