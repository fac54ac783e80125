/** What can be done with one user from the list, by its menu. */
import {
  IconArrowDown,
  IconArrowUp,
  IconEdit,
  IconListDetails,
  IconLogout,
  IconPlayerPause,
  IconPlayerPlay,
  IconUserX,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ManagedUser, UserAction } from "../../../../contract/src/features/users.ts";
import { apart } from "../../lib/names.ts";
import { useViewer } from "../../lib/viewer.ts";
import { confirm } from "../../ui/feedback/confirm.ts";
import type { RowAction } from "../../ui/data-table/row-actions.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { actionsFor, canEdit } from "./model/person.ts";
import { useManageUser } from "./queries.ts";

const glyph = { size: 15, stroke: 1.5 } as const;

const ICONS: Readonly<Record<UserAction, ReactNode>> = {
  enable: <IconPlayerPlay {...glyph} />,
  disable: <IconPlayerPause {...glyph} />,
  promote: <IconArrowUp {...glyph} />,
  demote: <IconArrowDown {...glyph} />,
  end_sessions: <IconLogout {...glyph} />,
  delete: <IconUserX {...glyph} />,
};

/** Asks, naming the user and what happens; enabling takes nothing from anybody and is not asked about. */
function useAct(): (user: ManagedUser, action: UserAction) => Promise<void> {
  const { t } = useTranslation("users");
  const manage = useManageUser();
  const isSure = (action: UserAction, name: string): Promise<boolean> | true =>
    action === "enable" ||
    confirm({
      title: t(`act.${action}.title`, { name }),
      text: t(`act.${action}.text`),
      action: t(`act.${action}.action`),
      tone: action === "promote" ? "plain" : "danger",
    });
  return async (user, action) => {
    const name = apart(user.username);
    if (!(await isSure(action, name))) return;
    try {
      if ((await manage.mutateAsync({ user, action })) === undefined) return;
      toast.success(t(`act.${action}.done`, { name }));
    } catch (error) {
      toast.error(error, t(`act.${action}.failed`, { name }));
    }
  };
}

/** The ⋯ menu of one user; nothing for those who are deregistered. */
export function useUserMenu(edit: (id: number) => void): (user: ManagedUser) => RowAction[] {
  const { t } = useTranslation("users");
  const viewer = useViewer();
  const navigate = useNavigate();
  const act = useAct();
  return (user) => {
    if (user.DeletedAt !== null) return [];
    const acts = actionsFor(viewer, user).map((action): RowAction => ({
      label: t(`act.${action}.word`),
      icon: ICONS[action],
      onPick: () => void act(user, action),
      ...(action === "delete" && { tone: "danger", isDivided: true }),
    }));
    const open = { label: t("edit"), icon: <IconEdit {...glyph} />, onPick: () => edit(user.id) };
    const log = {
      label: t("logEntries"),
      icon: <IconListDetails {...glyph} />,
      onPick: () => void navigate({ to: "/log", search: { username: user.username } }),
    };
    return [...(canEdit(viewer, user) ? [open] : []), log, ...acts];
  };
}
