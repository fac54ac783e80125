/** Actions on a user in the list and on their page: each asks first, naming the user and the effect. */
import {
  IconArrowDown,
  IconArrowUp,
  IconUserCog,
  IconLogout,
  IconPlayerPause,
  IconPlayerPlay,
  IconUserX,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { ManagedUser, UserAction } from "../../../../contract/src/features/users.ts";
import { apart } from "../../lib/names.ts";
import { useMay, useViewer } from "../../lib/viewer.ts";
import type { RowAction } from "../../ui/data-table/row-actions.tsx";
import { confirm } from "../../ui/feedback/confirm.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { actionsFor } from "./model/person.ts";
import { useManageUser } from "./queries.ts";

/** Size of the icons of a menu. */
export const glyph = { size: 15, stroke: 1.5 } as const;

const ICONS: Readonly<Record<UserAction, ReactNode>> = {
  enable: <IconPlayerPlay {...glyph} />,
  disable: <IconPlayerPause {...glyph} />,
  promote: <IconArrowUp {...glyph} />,
  demote: <IconArrowDown {...glyph} />,
  end_sessions: <IconLogout {...glyph} />,
  delete: <IconUserX {...glyph} />,
};

/** Asks for confirmation, naming the user and the effect; enabling restricts no one and is not asked about. */
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

/** The acts that the server would take, as entries of a menu. */
export function useActItems(): (user: ManagedUser) => RowAction[] {
  const { t } = useTranslation("users");
  const viewer = useViewer();
  const act = useAct();
  const maySee = [useMay("money"), useMay("logs")].every(Boolean);
  // Whom one may sign out everywhere is enabled and below oneself, as the view asks for.
  const seeing = (user: ManagedUser): RowAction[] =>
    maySee && actionsFor(viewer, user).includes("end_sessions")
      ? [
          {
            label: t("seeAs"),
            icon: <IconUserCog {...glyph} />,
            onPick: () => void import("./see.ts").then(({ seeAsPerson }) => seeAsPerson(user)),
          },
        ]
      : [];
  return (user) => [
    ...seeing(user),
    ...actionsFor(viewer, user).map((action): RowAction => ({
      label: t(`act.${action}.word`),
      icon: ICONS[action],
      onPick: () => void act(user, action),
      ...(action === "delete" && { tone: "danger", isDivided: true }),
    })),
  ];
}
