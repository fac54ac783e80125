/** Hosts what any code may open: questions, manual copying and toasts. Each loads when first needed and cannot break the page. */
import { lazy, type ReactNode, useEffect, useEffectEvent, useState, Component, Suspense } from "react";
import { onCallSucceeded } from "../../lib/api.ts";
import { onClipboardRefused } from "../../lib/clipboard.ts";
import { loadTexts, useTranslation } from "../../lib/i18n.ts";
import { useStore } from "../../lib/store.ts";
import { useQuestion } from "./confirm.ts";
import { useStepUp } from "./step-up.ts";
import { closeFailureOf, shownToasts, toast, closeToast, type Toast } from "./toast-store.ts";
import { visible } from "../../lib/names.ts";
import styles from "./plain-toasts.module.css";

interface Props {
  /** Renders the replacement, which stays from then on. */
  instead: (error: unknown) => ReactNode;
  children: ReactNode;
}

interface State {
  failure?: { error: unknown };
}

/** Renders its children, nothing while they load, and `instead` for good once they have failed, since React does not retry a lazy import. */
class PartBoundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { failure: { error } };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure !== undefined) return this.props.instead(failure.error);
    return <Suspense fallback={null}>{this.props.children}</Suspense>;
  }
}

/** A minimal list of the open toasts, used where toast.tsx fails to load, so that messages still reach the reader. */
function PlainToasts({ toasts }: { toasts: readonly Toast[] }) {
  const { t } = useTranslation("ui");
  return (
    <section className={styles.stack} aria-label={t("toasts")}>
      {toasts.map(({ id, kind, title, text }) => (
        <div key={id} className={styles.toast} role={kind === "error" ? "alert" : "status"}>
          <b>{visible(title)}</b>
          {text && <span>{visible(text)}</span>}
          <button type="button" onClick={() => closeToast(id)}>
            {t("dismiss")}
          </button>
        </div>
      ))}
    </section>
  );
}

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
