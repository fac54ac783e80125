/** The field for JSON: line numbers, 'Fill template', 'Format', and where the error is. The editor itself loads when first shown, or used. */
import { lazy, type ReactNode, Suspense, useId, type ComponentType, useRef, useState, memo, type Ref } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "../../lib/i18n.ts";
import { Field } from "./fields.tsx";
import { useIsLocked } from "./locked-fields.tsx";
import styles from "./json-editor.module.css";
import type { JsonTextProps, JsonSelection } from "./json-text.ts";
import { findJsonError, formatJson } from "../../../../contract/src/options/json-places.ts";

/** A string with the colon that makes it a name, a string, a number, a word. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)/g;

/** The text of one line in the colours of its kinds. */
function coloured(line: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of line.matchAll(TOKEN)) {
    const [whole, text, colon, number] = match;
    const kind = text === undefined ? (number === undefined ? "keyword" : "number") : colon ? "name" : "string";
    const token = text ?? whole;
    parts.push(line.slice(end, match.index));
    parts.push(
      <span key={match.index} className={styles[kind]}>
        {token}
      </span>,
    );
    end = match.index + token.length;
  }
  return [...parts, line.slice(end)];
}

const Line = memo(function Line({ text, isWrong }: { text: string; isWrong: boolean }) {
  return (
    <div className={styles.line} data-is-wrong={isWrong || undefined}>
      {text === "" ? "\u200B" : coloured(text)}
    </div>
  );
});

interface Props extends JsonTextProps {
  input: Ref<HTMLTextAreaElement>;
  /** It is about to be used: the editor may take its place. */
  onUse: () => void;
  /** An input method begins or ends to write. */
  onCompose: (is: boolean) => void;
}

/** The JSON editor until the user uses it: a text area over the same coloured lines, in the same place and height as CodeMirror's. */
function JsonPlain({ id, labelledBy, value, onChange, errorLine, isInvalid, input, onUse, onCompose }: Props) {
  const lines = value.split("\n");
  return (
    <div className={styles.place} onPointerEnter={onUse}>
      <div className={styles.text}>
        <div aria-hidden>
          {lines.map((text, index) => (
            // Lines have no identity but their place.
            <Line key={index} text={text} isWrong={index + 1 === errorLine} />
          ))}
        </div>
        <textarea
          ref={input}
          id={id}
          className={styles.input}
          aria-labelledby={labelledBy}
          aria-invalid={isInvalid}
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          onFocus={onUse}
          onCompositionStart={() => onCompose(true)}
          onCompositionEnd={() => onCompose(false)}
        />
      </div>
    </div>
  );
}

type Editor = ComponentType<JsonTextProps & { selection?: JsonSelection | undefined }>;

/** Loads CodeMirror once a plain text of JSON is used, and gives it the place, the caret and the focus of that text. */
function useEditorOnUse() {
  const [editor, setEditor] = useState<{ Editor: Editor; selection: JsonSelection | undefined }>();
  const input = useRef<HTMLTextAreaElement>(null);
  const isComposing = useRef(false);
  const load = async () => {
    // The text can be edited without it; the next use tries again.
    const module = await import("./json-code-mirror.tsx").catch(() => undefined);
    const text = input.current;
    // What an input method is writing would be lost; its end is a use again.
    if (module === undefined || text === null || isComposing.current) return;
    const selection =
      document.activeElement === text ? { anchor: text.selectionStart, head: text.selectionEnd } : undefined;
    // At once, so that no key falls between the two.
    flushSync(() => setEditor({ Editor: module.JsonCodeMirror, selection }));
  };
  return {
    ...editor,
    plain: {
      input,
      onUse: () => void load(),
      onCompose: (is: boolean) => {
        isComposing.current = is;
        if (!is) void load();
      },
    },
  };
}

const CodeMirror = lazy(async () => ({ default: (await import("./json-code-mirror.tsx")).JsonCodeMirror }));

export interface JsonEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** The text of 'Fill template'; without it the button is not there. */
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

/** As JsonBox for pages with many of them: the editor loads once the user points at one or focuses it. */
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

/** A text that can be read and copied, and not changed. */
function JsonRead({
  id,
  label,
  help,
  isOptional,
  value,
}: Pick<JsonEditorProps, "label" | "value"> & {
  id: string;
  help: string | undefined;
  isOptional: boolean;
}) {
  return (
    <Field label={label} htmlFor={id} isOptional={isOptional} help={help}>
      {/* Not an input: the fields around are disabled, and a long text has to be scrolled by keys too. */}
      <div
        id={id}
        className={styles.read}
        role="textbox"
        aria-labelledby={`${id}-label`}
        aria-readonly
        aria-multiline
        tabIndex={0}
      >
        {value.trim() === "" ? "–" : value}
      </div>
    </Field>
  );
}

/** @example <JsonEditor label={t("modelMapping")} isOptional value={v} onChange={set} template={'{\n  "gpt-4o": "gpt-4o-2024-11-20"\n}'} /> */
export function JsonEditor({ label, help, error, isOptional = false, ...box }: JsonEditorProps) {
  const id = useId();
  const shown = useJsonError(box.value) ?? error;
  if (useIsLocked()) return <JsonRead {...{ id, label, help, isOptional }} value={box.value} />;
  return (
    <Field label={label} htmlFor={id} isOptional={isOptional} help={help} error={shown}>
      <JsonBox {...box} labelledBy={`${id}-label`} isInvalid={shown !== undefined} />
    </Field>
  );
}
