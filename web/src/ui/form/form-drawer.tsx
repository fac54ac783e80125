/** The side drawer for creating and editing, 600 px wide on the right, full screen on a phone; and the same form as a part of a page. */
import { ActionIcon, Button, Drawer } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconX } from "@tabler/icons-react";
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { BusyButton } from "../busy-button.tsx";
import { ApiError } from "../../lib/api.ts";
import { PHONE_QUERY } from "../../lib/widths.ts";
import { visible } from "../../lib/names.ts";
import { ToastPlace, type ToastPlaceHandle } from "../feedback/toast-place.tsx";
import { toast } from "../feedback/toast-store.ts";
import { useEscapeLayer } from "../escape-layer.ts";
import { useReturnedFocus } from "../return-focus.ts";
import styles from "./form-drawer.module.css";
import { PendingBoxes, stopsAtText } from "./pending-text.ts";
import { isMac } from "../keys.ts";
import { confirmDiscard, useUnsavedGuard } from "./unsaved.ts";

export interface DrawerProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** Left of the title: a provider's mark. */
  mark?: ReactNode;
  /** Right of the title: id, status. */
  beside?: ReactNode;
  /** Before the close button: a menu. */
  headActions?: ReactNode;
  children: ReactNode;
}

function DrawerHead({ title, mark, beside, headActions, onClose }: Omit<DrawerProps, "isOpen" | "children">) {
  const { t } = useTranslation("ui");
  return (
    <div className={styles.head}>
      {mark}
      <Drawer.Title className={styles.title ?? ""}>{visible(title)}</Drawer.Title>
      {beside && <span className={styles.beside}>{beside}</span>}
      <span className={styles.space} />
      {headActions}
      <ActionIcon variant="subtle" size={32} aria-label={t("close")} onClick={onClose}>
        <IconX size={17} stroke={1.5} />
      </ActionIcon>
    </div>
  );
}

/** z-index below dialogs. */
const LAYER = 200;

function DrawerFrame({
  isOpen,
  onClose,
  title,
  children,
}: Pick<DrawerProps, "isOpen" | "onClose" | "title" | "children">) {
  useReturnedFocus(isOpen);
  const escape = useEscapeLayer(isOpen, LAYER);
  const isPhone = useMediaQuery(PHONE_QUERY, false, { getInitialValueInEffect: false }) ?? false;
  return (
    <Drawer.Root
      {...escape}
      zIndex={LAYER}
      returnFocus={false}
      opened={isOpen}
      onClose={onClose}
      position="right"
      size={isPhone ? "100%" : 600}
      transitionProps={{ duration: 140 }}
    >
      <Drawer.Overlay />
      {/* Its title names it too, but only an effect later, which a busy machine leaves time to notice. */}
      <Drawer.Content radius={0} aria-label={visible(title)}>
        {children}
      </Drawer.Content>
    </Drawer.Root>
  );
}

/** A drawer without a form, to read or copy from. `foot` holds its buttons, `hint` the sentence left of them. */
export function SideDrawer({
  isOpen,
  onClose,
  hint,
  foot,
  children,
  ...head
}: DrawerProps & { hint?: ReactNode; foot?: ReactNode }) {
  return (
    <DrawerFrame isOpen={isOpen} onClose={onClose} title={head.title}>
      <div className={styles.form}>
        <DrawerHead {...head} onClose={onClose} />
        <div className={styles.body}>{children}</div>
        <ToastPlace isInset />
        {foot && (
          <div className={styles.foot}>
            <div className={styles.hint}>{hint}</div>
            {foot}
          </div>
        )}
      </div>
    </DrawerFrame>
  );
}

export interface FormDrawerProps extends DrawerProps {
  /** Whether something was changed; closing then asks for confirmation. */
  isDirty: boolean;
  /** Validates and saves. False means that fields have errors: the first one is focused. An exception keeps the drawer open. */
  onSubmit: () => Promise<boolean | void> | boolean | void;
  submitLabel: string;
  /** What it shows can be read and not saved, with its fields in `LockedFields`: there is nothing to submit or to cancel, and closing asks nothing. */
  isLocked?: boolean;
  /** Left side of the footer: a sentence, or "Unsaved: models". */
  hint?: ReactNode;
  /** Above the footer: what submitting makes, in one sentence. */
  summary?: ReactNode;
}

const FIELDS =
  "input:not([type=hidden], :disabled), textarea:not(:disabled), button[aria-haspopup=listbox], .cm-content";

/** The fields. The first one gets the focus when the drawer opens, even where the fields load a moment later. Locked ones cannot: the body is reached, so that keys scroll it. */
function FormBody({ isLocked, children }: { isLocked: boolean; children: ReactNode }) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = body.current;
    if (element === null) return undefined;
    // The body takes the focus when the drawer opens, instead of the close button; a field then takes it from the body.
    const handOn = () => {
      const isWaiting = document.activeElement === element;
      const field =
        element.querySelector<HTMLElement>("[data-autofocus]") ?? element.querySelector<HTMLElement>(FIELDS);
      if (isWaiting) field?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(handOn);
    observer.observe(element, { childList: true, subtree: true });
    element.addEventListener("focus", handOn);
    handOn();
    return () => {
      observer.disconnect();
      element.removeEventListener("focus", handOn);
    };
  }, []);
  return (
    <div ref={body} className={styles.body} tabIndex={isLocked ? 0 : -1} data-autofocus>
      {children}
    </div>
  );
}

const focusFirstError = (form: HTMLElement | null): void => {
  // The errors are rendered in the next frame.
  requestAnimationFrame(() => {
    const field = form?.querySelector<HTMLElement>(
      "[aria-invalid=true], input[data-error], input[data-invalid], [data-invalid=true] .cm-content",
    );
    field?.focus();
    field?.scrollIntoView({ block: "center" });
  });
};

/** Inputs in which the browser submits the form at Enter. */
const ONE_LINE = "input:not([type=hidden], [type=submit], [type=button], [type=reset])";

/** Whether Enter in `target` would send a form of several fields, of which the others may not be filled in yet. */
const sendsTooEarly = (form: HTMLElement, target: Element): boolean =>
  target.matches(ONE_LINE) && form.querySelectorAll(FIELDS).length > 1;

/**
 * A form in a drawer. Ctrl/Cmd+Enter submits, and Enter alone where there is one field; a second submit while one runs is ignored, text
 * that was typed into a box of chips but not added stops it, and closing with changes asks.
 * @example
 * <FormDrawer isOpen onClose={close} title={t("create")} isDirty={form.isDirty} submitLabel={t("create")}
 *   onSubmit={() => form.submit(async (values) => { await save.mutateAsync(values); close(); }, { failed: t("notCreated") })}>
 *   <FormSection title={t("basics")}>
 *     <TextInput label={t("name")} value={form.values.name} error={form.errorOf("name")}
 *       onChange={(event) => form.change({ name: event.currentTarget.value })} />
 *   </FormSection>
 * </FormDrawer>
 */
export function FormDrawer({
  isOpen,
  onClose,
  isDirty,
  onSubmit,
  submitLabel,
  isLocked = false,
  hint,
  summary,
  children,
  ...head
}: FormDrawerProps) {
  const messages = useRef<ToastPlaceHandle>(null);
  const { askAndClose, isSaving, boxes, formProps } = useGuardedForm({
    isDirty: isOpen && isDirty,
    isLocked,
    onClose,
    onSubmit,
    clearMessages: () => messages.current?.clear(),
  });
  return (
    <DrawerFrame isOpen={isOpen} onClose={() => void askAndClose()} title={head.title}>
      <form {...formProps} className={styles.form}>
        <DrawerHead {...head} onClose={() => void askAndClose()} />
        <PendingBoxes value={boxes}>
          <FormBody isLocked={isLocked}>{children}</FormBody>
        </PendingBoxes>
        <ToastPlace ref={messages} isInset />
        {summary && <p className={styles.summary}>{summary}</p>}
        {(!isLocked || hint) && (
          <FormFoot {...{ hint, isSaving, isLocked, submitLabel }} onCancel={() => void askAndClose()} />
        )}
      </form>
    </DrawerFrame>
  );
}

/** The end of a form: its hint, 'Cancel' and the button that submits; of a locked one the hint alone. */
function FormFoot({
  hint,
  isSaving,
  isLocked,
  submitLabel,
  isBar,
  onCancel,
}: Pick<FormDrawerProps, "hint" | "submitLabel"> & {
  isSaving: boolean;
  isLocked: boolean;
  /** It stays in sight over the page that scrolls. */
  isBar?: boolean;
  onCancel: () => void;
}) {
  const { t } = useTranslation("ui");
  return (
    <div className={styles.foot} data-foot-bar={isBar}>
      <div className={styles.hint}>{hint}</div>
      {!isLocked && (
        <>
          <Button onClick={onCancel}>{t("cancel")}</Button>
          <BusyButton type="submit" variant="filled" isBusy={isSaving}>
            {submitLabel}
            <span className={styles.kbd} aria-hidden>
              {isMac() ? "⌘ ↵" : "Ctrl ↵"}
            </span>
          </BusyButton>
        </>
      )}
    </div>
  );
}

/** The same form as a part of a page, such as a tab: without a layer of its own, so Escape leaves it alone. */
export function FormPanel({
  onClose,
  isDirty,
  onSubmit,
  submitLabel,
  isLocked = false,
  hint,
  headActions,
  children,
}: Omit<FormDrawerProps, "isOpen" | "title" | "mark" | "beside" | "summary">) {
  useReturnedFocus();
  const { askAndClose, isSaving, boxes, formProps } = useGuardedForm({ isDirty, isLocked, onClose, onSubmit });
  return (
    <form {...formProps} className={styles.panel}>
      {headActions && <div className={styles.panelHead}>{headActions}</div>}
      <PendingBoxes value={boxes}>{children}</PendingBoxes>
      {(!isLocked || hint) && (
        <FormFoot isBar {...{ hint, isSaving, isLocked, submitLabel }} onCancel={() => void askAndClose()} />
      )}
    </form>
  );
}

/**
 * What a form in a drawer and one in a page do alike: sending, once at a time and not past text that is left in a box, and leaving, which
 * asks where something was changed.
 */
function useGuardedForm({
  isDirty: isChanged,
  isLocked,
  onClose,
  onSubmit,
  clearMessages,
}: Pick<FormDrawerProps, "isDirty" | "onClose" | "onSubmit"> & { isLocked: boolean; clearMessages?: () => void }) {
  const isDirty = isChanged && !isLocked;
  const form = useRef<HTMLFormElement>(null);
  const [boxes] = useState(() => new Set<() => boolean>());
  const [isSaving, setIsSaving] = useState(false);

  const { freely } = useUnsavedGuard(isDirty);

  const askAndClose = async () => {
    if (isSaving) return;
    if (!isDirty || (await confirmDiscard())) freely(onClose);
  };
  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (isSaving || isLocked) return;
    if (stopsAtText(boxes)) return focusFirstError(form.current);
    setIsSaving(true);
    clearMessages?.();
    try {
      if ((await freely(onSubmit)) === false) focusFirstError(form.current);
    } catch (error) {
      // The query client or the form reports refusals of the server; any other error would go unnoticed.
      if (!(error instanceof ApiError)) toast.error(error);
      focusFirstError(form.current);
    } finally {
      setIsSaving(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    const { target, currentTarget } = event;
    // Keys of a dialog that the drawer opened arrive here too.
    if (event.key !== "Enter" || !(target instanceof Element) || !currentTarget.contains(target)) return;
    if (event.ctrlKey || event.metaKey) void submit();
    else if (sendsTooEarly(currentTarget, target)) event.preventDefault();
  };
  const formProps = {
    ref: form,
    onSubmit: (event: FormEvent) => void submit(event),
    onKeyDown,
    noValidate: true,
    "data-guarded-form": true,
  };
  return { askAndClose, isSaving, boxes, formProps };
}

/** A group of fields with a heading; a hairline divides it from the one above. */
export function FormSection({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      {title && <h3 className={styles.sectionTitle}>{title}</h3>}
      {children}
    </section>
  );
}

/** Two short fields side by side. */
export const FieldPair = ({ children }: { children: ReactNode }) => <div className={styles.pair}>{children}</div>;
