/** Whether the account may call models that nobody gave a price. */
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { Toggle } from "../../../ui/form/fields.tsx";
import { type Account, saveSetting, useRefreshAccount } from "../queries.ts";

export function PriceForm({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const refresh = useRefreshAccount();
  const save = useMutation({
    mutationFn: (isAccepted: boolean) => saveSetting({ accept_unset_model_ratio_model: isAccepted }),
    onSuccess: () => toast.success(t("settings.saved")),
    onSettled: refresh,
  });
  // While it is being saved it shows what was chosen; a refusal puts it back.
  const isOn = save.isPending ? save.variables : account.setting.accept_unset_model_ratio_model;
  return <Toggle isOn={isOn} onChange={save.mutate} label={t("prices.unset")} text={t("prices.unsetText")} />;
}
