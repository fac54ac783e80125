/** The switch of password login: turning it off is asked about first, and what is not confirmed stays on. */
import { useTranslation } from "react-i18next";
import { confirm } from "../../../ui/feedback/confirm.ts";
import type { FieldProps } from "../fields/field.ts";
import { SwitchField } from "../fields/plain-fields.tsx";

export function PasswordLoginField(props: FieldProps) {
  const { t } = useTranslation("options");
  const { field } = props;
  const set = async (text: string) => {
    const isSure =
      text === "true" ||
      (await confirm({
        title: t("passwordLogin.title"),
        text: t("passwordLogin.text"),
        action: t("passwordLogin.action"),
      }));
    if (isSure) field.set(text);
  };
  return <SwitchField {...props} field={{ ...field, set: (text) => void set(text) }} />;
}
