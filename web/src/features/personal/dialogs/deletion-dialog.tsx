/** Deletes the own account once its user name is typed and the password confirmed, and leads to the login page. */
import { TextInput } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { deleteSelf } from "../../../../../contract/src/features/personal.ts";
import { ApiError, call, leaveBy } from "../../../lib/api.ts";
import { visible } from "../../../lib/names.ts";
import { setViewer } from "../../../lib/viewer.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { FormDialog } from "../../../ui/form/form-dialog.tsx";
import type { Account } from "../queries.ts";

const StepUpDialog = lazy(async () => ({
  default: (await import("../../../ui/feedback/step-up-dialog.tsx")).StepUpDialog,
}));

export function DeletionDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation("personal");
  const [typed, setTyped] = useState("");
  const [isAsking, setIsAsking] = useState(false);
  const submit = async () => {
    try {
      await leaveBy(() => call(deleteSelf, {}).then(() => undefined));
    } catch (error) {
      const needsPassword = error instanceof ApiError && error.code === "step_up_required";
      if (needsPassword) setIsAsking(true);
      else toast.error(error, t("deletion.failed"));
      return false;
    }
    setViewer(null);
    location.assign("/login");
    return true;
  };
  const confirmed = () => {
    setIsAsking(false);
    void submit();
  };
  return (
    <>
      <FormDialog
        title={t("deletion.title")}
        text={t("deletion.text")}
        submitLabel={t("deletion.submit")}
        isDangerous
        isDisabled={typed !== account.username}
        onSubmit={submit}
        onClose={onClose}
      >
        <TextInput
          data-autofocus
          label={t("deletion.name", { name: visible(account.username) })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </FormDialog>
      <Suspense fallback={null}>
        {isAsking && <StepUpDialog onConfirmed={confirmed} onClose={() => setIsAsking(false)} />}
      </Suspense>
    </>
  );
}
