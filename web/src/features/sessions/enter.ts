/** The end of every login: the browser stores the user and opens the page that was wanted; the invite code is kept until then. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "../../lib/i18n.ts";
import type { DataOf } from "../../../../contract/src/endpoint.ts";
import type { UserSetting } from "../../../../contract/src/features/personal.ts";
import type { login } from "../../../../contract/src/features/sessions.ts";
import { nextAddress, secureAddress } from "../../lib/next-address.ts";
import { call } from "../../lib/api.ts";
import { rememberSidebar, setViewer } from "../../lib/viewer.ts";
import { confirm } from "../../ui/feedback/confirm.ts";
import { useEffect } from "react";
import { STORAGE, writeStored } from "../../lib/storage.ts";

/** Keeps the invite code of a link with ?aff= until the visitor registers, by whichever way. */
export function useInviteCode(code: string | undefined): void {
  useEffect(() => {
    if (code) writeStored(STORAGE.inviteCode, code);
  }, [code]);
}

/** Removes the stored invite code once its person has registered. */
export const forgetInviteCode = (): void => writeStored(STORAGE.inviteCode, null);

/** The side bar as its owner chose it; until the answer is there, and without one, it is as the site has it. */
async function readOwnSidebar(): Promise<void> {
  try {
    // Later than the login page, whose weight it would add to.
    const { getSelf } = await import("../../../../contract/src/features/personal.ts");
    const { setting } = await call(getSelf, {});
    rememberSidebar((JSON.parse(setting) as UserSetting).sidebar_modules);
  } catch {
    // The site's own order stands; the page that opens shows what is wrong with the connection.
  }
}

/** The answer of a login; with `require_second_factor` the user is not logged in yet. */
export type LoginAnswer = DataOf<typeof login>;

/** Goes in with the answer of a login, to `wanted` or else to the page that the address names; warns where the account still has its first password. */
export function useEnter(): (answer: LoginAnswer, wanted?: string) => Promise<void> {
  const { t } = useTranslation("sessions");
  const { next } = useSearch({ strict: false });
  const navigate = useNavigate();
  // The page that logged in is no place to come back to.
  return async (answer, wanted = next) => {
    setViewer(answer);
    if (answer.required_action === "") void readOwnSidebar();
    const address = nextAddress(wanted);
    await navigate({ href: answer.required_action === "" ? address : secureAddress(address), replace: true });
    if (answer.default_credentials)
      void confirm({
        title: t("defaultCredentials.title"),
        text: t("defaultCredentials.text"),
        action: t("defaultCredentials.action"),
        tone: "plain",
      });
  };
}
