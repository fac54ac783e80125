/** Administrators' notes about a user, who never sees them. */
import { Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { Person } from "../../../../../contract/src/people.ts";
import { USER_REMARK_MAX } from "../../../../../contract/src/features/users.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Card } from "../../../ui/display/card.tsx";
import { describeError } from "../../../ui/feedback/describe-error.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { apart } from "../../../lib/names.ts";
import { useUpdateUser } from "../queries.ts";

export function NotesTab({ person }: { person: Person }) {
  const { t } = useTranslation("users");
  const [text, setText] = useState(person.remark);
  const [error, setError] = useState<string>();
  const update = useUpdateUser();
  const save = async () => {
    setError(undefined);
    try {
      const saved = await update.mutateAsync({ id: person.id, remark: text.trim() });
      if (saved !== undefined) toast.success(t("saved", { name: apart(person.username) }));
    } catch (refusal) {
      setError(describeError(refusal).message);
    }
  };
  return (
    <Card title={t("person.tab.notes")} text={t("form.remarkHelp")}>
      <Textarea
        aria-label={t("person.tab.notes")}
        autosize
        minRows={3}
        maxRows={10}
        maxLength={USER_REMARK_MAX}
        value={text}
        error={error}
        disabled={person.DeletedAt !== null}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div>
        <BusyButton
          isBusy={update.isPending}
          disabled={person.DeletedAt !== null || text.trim() === person.remark.trim()}
          onClick={() => void save()}
        >
          {t("save")}
        </BusyButton>
      </div>
    </Card>
  );
}
