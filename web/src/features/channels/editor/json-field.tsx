/** A JSON field that is a line of text until it is focused: the editor behind it is large, and most forms never need it. */
import { useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { Field } from "../../../ui/form/fields.tsx";
import { useIsLocked } from "../../../ui/form/locked-fields.tsx";
import { JsonEditor, type JsonEditorProps } from "../../../ui/form/json-editor.tsx";
import styles from "./editor.module.css";

/** Takes the focus into the editor once it has loaded, unless it has gone elsewhere meanwhile. */
function useFocusWhenThere(isAsked: boolean) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!isAsked || element === null) return undefined;
    const focus = () => {
      const content = element.querySelector<HTMLElement>(".cm-content");
      if (content === null) return false;
      if (document.activeElement === document.body || element.contains(document.activeElement)) content.focus();
      return true;
    };
    const observer = new MutationObserver(() => focus() && observer.disconnect());
    element.focus();
    if (!focus()) observer.observe(element, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [isAsked]);
  return place;
}

/** As JsonEditor, which it becomes at the first press; one that is refused is open at once, and so is one that can only be read. */
export function JsonField(props: JsonEditorProps) {
  const { t } = useTranslation("channels");
  const id = useId();
  const { label, value, help, error, isOptional = false } = props;
  const [isAsked, setIsAsked] = useState(false);
  const place = useFocusWhenThere(isAsked);
  const isLocked = useIsLocked();
  if (isLocked) return <JsonEditor {...props} />;
  if (isAsked || error !== undefined)
    return (
      <div ref={place} tabIndex={-1} className={styles.jsonPlace}>
        <JsonEditor {...props} />
      </div>
    );
  return (
    <Field label={label} htmlFor={id} isOptional={isOptional} help={help}>
      <button
        type="button"
        id={id}
        className={styles.jsonClosed}
        aria-labelledby={`${id}-label ${id}`}
        onClick={() => setIsAsked(true)}
      >
        {value.trim() === "" ? (
          <span className={styles.jsonEmpty}>{t("form.jsonEmpty")}</span>
        ) : (
          <span className={`mono ${styles.mono}`}>{value.replace(/\s+/g, " ")}</span>
        )}
        <span className={styles.jsonAct}>{t("form.jsonEdit")}</span>
      </button>
    </Field>
  );
}
