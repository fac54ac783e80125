/** Hosts what any code may open: questions, manual copying and toasts. Each loads when first needed and cannot break the page. */
import { lazy, type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { onCallSucceeded } from "../../lib/api.ts";
import { onClipboardRefused } from "../../lib/clipboard.ts";
import { loadTexts } from "../../lib/i18n.ts";
import { useStore } from "../../lib/store.ts";
import { useQuestion } from "./confirm.ts";
import { useStepUp } from "./step-up.ts";
import { PartBoundary } from "./part-boundary.tsx";
import { PlainToasts } from "./plain-toasts.tsx";
import { closeFailureOf, shownToasts, toast } from "./toast-store.ts";

const Kit = lazy(async () => ({ default: (await import("../kit.tsx")).Kit }));
const Toasts = lazy(async () => ({ default: (await import("./toast.tsx")).Toasts }));
const ConfirmDialog = lazy(async () => ({ default: (await import("./confirm-dialog.tsx")).ConfirmDialog }));
const StepUpDialog = lazy(async () => {
  const [part] = await Promise.all([import("./step-up-dialog.tsx"), loadTexts("step-up")]);
  return { default: part.StepUpDialog };
});
const CopyDialog = lazy(async () => ({ default: (await import("./copy-dialog.tsx")).CopyDialog }));

/** Replaces a dialog that failed to load. Each time it would open, it calls `giveUp` and shows a toast instead. */
function NotShown({ asked, title, giveUp, error }: Asked & { error: unknown }) {
  const tell = useEffectEvent(() => {
    giveUp();
    toast.error(error, title);
  });
  useEffect(() => {
    if (asked !== undefined) tell();
  }, [asked]);
  return null;
}

interface Asked {
  /** Undefined while the dialog is closed; a different value each time it opens. */
  asked: unknown;
  /** Title of the toast: what did not happen. */
  title: string;
  giveUp: () => void;
}

function DialogPart({ children, ...asked }: Asked & { children: ReactNode }) {
  return (
    <PartBoundary instead={(error) => <NotShown {...asked} error={error} />}>
      {children && <Kit>{children}</Kit>}
    </PartBoundary>
  );
}

/** Mounted once in the providers. */
export function Dialogs() {
  const { t } = useTranslation("ui");
  const { question, answer } = useQuestion();
  const stepUp = useStepUp();
  const { toasts, jobs } = useStore(shownToasts);
  const hasToasts = toasts.length + jobs.length > 0;
  const [wasAsked, setWasAsked] = useState(false);
  const [text, setText] = useState<string>();
  useEffect(() => onClipboardRefused(setText), []);
  useEffect(() => onCallSucceeded(closeFailureOf), []);
  if (question !== undefined && !wasAsked) setWasAsked(true);
  const closeCopy = () => setText(undefined);
  return (
    <>
      <PartBoundary instead={() => <PlainToasts toasts={toasts} />}>{hasToasts && <Toasts />}</PartBoundary>
      <DialogPart asked={question} title={t("error.notAsked")} giveUp={() => answer(false)}>
        {wasAsked && <ConfirmDialog question={question} answer={answer} />}
      </DialogPart>
      <DialogPart asked={stepUp.asked} title={t("error.notAsked")} giveUp={() => stepUp.answer(false)}>
        {stepUp.asked !== undefined && (
          <StepUpDialog onConfirmed={() => stepUp.answer(true)} onClose={() => stepUp.answer(false)} />
        )}
      </DialogPart>
      <DialogPart asked={text} title={t("copy.notFetched")} giveUp={closeCopy}>
        {text !== undefined && <CopyDialog text={text} onClose={closeCopy} />}
      </DialogPart>
    </>
  );
}
