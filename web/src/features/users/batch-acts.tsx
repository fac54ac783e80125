/** The bar of acts on the selected users: enable, disable, another group, deregister. What is refused is named with its number. */
import { Menu } from "@mantine/core";
import { IconUserX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "../../lib/i18n.ts";
import type { PeopleAction } from "../../../../contract/src/people.ts";
import type { ManagedUser } from "../../../../contract/src/features/users.ts";
import { useMay } from "../../lib/viewer.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { confirm } from "../../ui/feedback/confirm.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { glyph } from "./acts.tsx";
import { groupsQuery, useBatchUsers } from "./queries.ts";

/** Names in the question before many are deregistered. */
const NAMED = 5;

interface BatchProps {
  users: readonly ManagedUser[];
  clear: () => void;
}

function useBatch({ users, clear }: BatchProps) {
  const { t } = useTranslation("users");
  const batch = useBatchUsers();
  const run = async (action: PeopleAction, group?: string) => {
    const ids = users.map(({ id }) => id);
    try {
      const result = await batch.mutateAsync({ ids, action, ...(group === undefined ? {} : { group }) });
      if (result === undefined) return;
      if (result.done > 0) toast.success(t(`batch.${action}.done`, { count: result.done, group }));
      if (result.refused.length > 0) {
        const text = t("batch.refusedText");
        toast.info(t("batch.refused", { count: result.refused.length }), { text, sticky: true });
      } else clear();
    } catch (error) {
      toast.error(error, t("batch.failed"));
    }
  };
  const isBusy = (action: PeopleAction) => batch.isPending && batch.variables.action === action;
  return { run, isBusy };
}

function GroupMenu({ isBusy, onPick }: { isBusy: boolean; onPick: (group: string) => void }) {
  const { t } = useTranslation("users");
  const groups = useQuery(groupsQuery).data ?? [];
  return (
    <Menu>
      <Menu.Target>
        <BusyButton isBusy={isBusy}>{t("batch.group.word")}</BusyButton>
      </Menu.Target>
      <Menu.Dropdown>
        {groups.map((group) => (
          <Menu.Item key={group} onClick={() => onPick(group)}>
            {group}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** @param props the selected users of the page, and what takes the selection away */
export function BatchActs(props: BatchProps) {
  const { t } = useTranslation("users");
  const { users } = props;
  const { run, isBusy } = useBatch(props);
  const mayChange = useMay("users");
  const mayPay = useMay("money");
  const isSure = (action: "disable" | "delete") => {
    const names = users.slice(0, NAMED).map(({ username }) => username);
    const rest = users.length - names.length;
    return confirm({
      title: t(`batch.${action}.title`, { count: users.length }),
      text: t(`batch.${action}.text`, { names: names.join(t("batch.separator")) + (rest > 0 ? ` +${rest}` : "") }),
      action: t(`batch.${action}.word`),
    });
  };
  const askFirst = async (action: "disable" | "delete") => {
    if (await isSure(action)) await run(action);
  };
  if (users.length === 0) return null;
  return (
    <>
      {mayChange && (
        <>
          <BusyButton isBusy={isBusy("enable")} onClick={() => void run("enable")}>
            {t("act.enable.word")}
          </BusyButton>
          <BusyButton isBusy={isBusy("disable")} onClick={() => void askFirst("disable")}>
            {t("act.disable.word")}
          </BusyButton>
        </>
      )}
      {mayPay && <GroupMenu isBusy={isBusy("group")} onPick={(group) => void run("group", group)} />}
      {mayChange && (
        <BusyButton
          data-tone="danger"
          leftSection={<IconUserX {...glyph} />}
          style={{ marginInlineStart: "auto" }}
          isBusy={isBusy("delete")}
          onClick={() => void askFirst("delete")}
        >
          {t("act.delete.word")}
        </BusyButton>
      )}
    </>
  );
}
