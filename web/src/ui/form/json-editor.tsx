/** The field for JSON: line numbers, 'Fill template', 'Format', and where the error is. The editor itself loads when first shown. */
import { lazy, Suspense, useId } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "./fields.tsx";
import styles from "./json-editor.module.css";
import { findJsonError, formatJson } from "./json-error.ts";

const CodeMirror = lazy(async () => ({ default: (await import("./json-code-mirror.tsx")).JsonCodeMirror }));

export interface JsonEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** What 'Fill template' puts in; without it the button is not there. */
  template?: string;
  help?: string;
  /** An error of the form; the position of broken JSON is shown by itself and comes first. */
  error?: string | undefined;
  isOptional?: boolean;
}

/** @example <JsonEditor label={t("modelMapping")} isOptional value={v} onChange={set} template={'{\n  "gpt-4o": "gpt-4o-2024-11-20"\n}'} /> */
export function JsonEditor({ label, value, onChange, template, help, error, isOptional = false }: JsonEditorProps) {
  const { t } = useTranslation("ui");
  const id = useId();
  const broken = findJsonError(value);
  const position =
    broken && t("json.at", { line: broken.line, column: broken.column, problem: t(`json.${broken.problem}`) });
  const shown = position ?? error;
  return (
    <Field label={label} htmlFor={id} isOptional={isOptional} help={help} error={shown}>
      <div className={styles.editor} data-invalid={shown === undefined ? undefined : true}>
        <div className={styles.head}>
          <span>JSON</span>
          {template !== undefined && (
            <button type="button" className={styles.tool} onClick={() => onChange(template)}>
              {t("json.fillTemplate")}
            </button>
          )}
          <button type="button" className={styles.tool} onClick={() => onChange(formatJson(value))}>
            {t("json.format")}
          </button>
        </div>
        <Suspense fallback={<div className={styles.loading} />}>
          <CodeMirror
            labelledBy={`${id}-label`}
            value={value}
            onChange={onChange}
            errorLine={broken?.line}
            isInvalid={shown !== undefined}
          />
        </Suspense>
      </div>
    </Field>
  );
}
