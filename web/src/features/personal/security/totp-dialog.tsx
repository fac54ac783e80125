/** Setting up an authenticator app, in a dialog over the personal page. */
import { useTranslation } from "../../../lib/i18n.ts";
import { Dialog } from "../../../ui/feedback/dialog.tsx";
import { TotpForm, type TotpFormProps } from "./totp-form.tsx";

const LAYER = 300;

export function TotpDialog(props: Omit<TotpFormProps, "closeLabel">) {
  const { t } = useTranslation("personal");
  return (
    <Dialog isOpen onClose={props.onClose} title={t("security.totp.setUp")} layer={LAYER}>
      <TotpForm {...props} closeLabel={t("security.cancel")} />
    </Dialog>
  );
}
