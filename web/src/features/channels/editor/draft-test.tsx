/** 'Test' in the drawer: tries what is in the form, saved or not, and says the result in the form, at the field that it is about. */
import { IconPlayerPlay } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { type ChannelRow, testChannelDraft } from "../../../../../contract/src/features/channels.ts";
import type { TestFailure } from "../../../../../contract/src/channel-tests.ts";
import { ApiError, callFull } from "../../../lib/api.ts";
import { formatDurationMs } from "../../../lib/format.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { failureIn, failureText } from "../model/failure.ts";
import { type ChannelForm, type FieldErrors, type FieldName, fieldOf, wireOf } from "../model/form.ts";
import { tellFailedTest } from "../test-call.ts";

const ACT = "test of the form";

/** Where somebody looks first for what is wrong: the key where it was refused, the address where nobody answers there. */
function blamed({ code, values }: TestFailure): FieldName | undefined {
  const status = code === "upstream_status" ? values["status"] : undefined;
  if (status === 401 || status === 403) return "key";
  return status === 404 || code === "connect" || code === "connect_timeout" || code === "address_refused"
    ? "base_url"
    : undefined;
}

interface DraftTestProps {
  channel: ChannelRow | undefined;
  form: ChannelForm;
  onErrors: (errors: FieldErrors) => void;
}

export function DraftTest({ channel, form, onErrors }: DraftTestProps) {
  const { t } = useTranslation("channels");
  const navigate = useNavigate();
  const refuse = (error: unknown) => {
    const failure = error instanceof ApiError ? failureIn(error.extra) : undefined;
    const text = failure && failureText(t, failure);
    const field =
      failure === undefined ? fieldOf(error instanceof ApiError ? error.field : undefined) : blamed(failure);
    if (field !== undefined && error instanceof ApiError) onErrors({ [field]: text ?? error.message });
    const inWords = text !== undefined && error instanceof ApiError ? new ApiError(text, error) : error;
    tellFailedTest(inWords, t("form.draftFailed"), (href) => void navigate({ href }), ACT);
  };
  const test = useMutation({
    meta: { showsOwnError: true },
    mutationFn: () => {
      const body = { ...wireOf(form), ...(channel === undefined ? {} : { id: channel.id }) };
      return callFull(testChannelDraft, { body });
    },
    onSuccess: ({ extra }) => {
      onErrors({});
      toast.success(t("form.draftPassed", { time: formatDurationMs(extra.time * 1000) }), { act: ACT });
    },
    onError: refuse,
  });
  return (
    <BusyButton
      leftSection={<IconPlayerPlay size={14} stroke={1.5} />}
      isBusy={test.isPending}
      onClick={() => test.mutate()}
    >
      {t("actions.test")}
    </BusyButton>
  );
}
