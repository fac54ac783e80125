/** The field for JSON: line numbers, 'Fill template', 'Format', and where the error is. The editor itself loads when first shown, or used. */
import { lazy, type ReactNode, Suspense, useId } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "./fields.tsx";
import styles from "./json-editor.module.css";
import { useEditorOnUse } from "./json-on-use.ts";
import { JsonPlain } from "./json-plain.tsx";
import type { JsonTextProps } from "./json-text.ts";
import { findJsonError, formatJson } from "../../../../contract/src/options/json-places.ts";

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
  /** The line that `error` is about, counted from 1. */
  errorLine?: number | undefined;
  isOptional?: boolean;
}

interface BoxProps extends Pick<JsonEditorProps, "value" | "onChange" | "template" | "errorLine"> {
  /** Id of the element that names it. */
  labelledBy: string;
  isInvalid: boolean;
}

/** The frame around the text, with its tools; the broken line is marked. */
function Frame({
  labelledBy,
  value,
  onChange,
  template,
  errorLine,
  isInvalid,
  children,
}: BoxProps & { children: (text: JsonTextProps) => ReactNode }) {
  const { t } = useTranslation("ui");
  const broken = findJsonError(value);
  const isWrong = isInvalid || broken !== undefined;
  return (
    <div className={styles.editor} data-invalid={isWrong || undefined}>
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
      {children({ labelledBy, value, onChange, errorLine: broken?.line ?? errorLine, isInvalid: isWrong })}
    </div>
  );
}

/** The editor's box alone, for a form that draws label and error itself. */
const JsonBox = (props: BoxProps) => (
  <Frame {...props}>
    {(text) => (
      <Suspense fallback={<div className={styles.loading} />}>
        <CodeMirror {...text} />
      </Suspense>
    )}
  </Frame>
);

/** As JsonBox for pages with many of them: the editor loads once somebody points at one or focuses it. */
export function JsonBoxOnUse({ id, ...props }: BoxProps & { id: string }) {
  const { Editor, selection, plain } = useEditorOnUse();
  return (
    <Frame {...props}>
      {(text) =>
        Editor === undefined ? (
          <JsonPlain {...text} id={id} {...plain} />
        ) : (
          <Editor {...text} id={id} selection={selection} />
        )
      }
    </Frame>
  );
}

/** Where JSON is broken, as a sentence; undefined where it is not. */
export function useJsonError(value: string): string | undefined {
  const { t } = useTranslation("ui");
  const broken = findJsonError(value);
  if (broken === undefined) return undefined;
  const { line, column, problem, name } = broken;
  return t("json.at", { line, column, problem: t(`json.${problem}`, { name }) });
}

/** @example <JsonEditor label={t("modelMapping")} isOptional value={v} onChange={set} template={'{\n  "gpt-4o": "gpt-4o-2024-11-20"\n}'} /> */
export function JsonEditor({ label, help, error, isOptional = false, ...box }: JsonEditorProps) {
  const id = useId();
  const shown = useJsonError(box.value) ?? error;
  return (
    <Field label={label} htmlFor={id} isOptional={isOptional} help={help} error={shown}>
      <JsonBox {...box} labelledBy={`${id}-label`} isInvalid={shown !== undefined} />
    </Field>
  );
}
