/** CodeMirror with our colours for JSON; loaded lazily by json-editor.tsx. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Annotation, Compartment, EditorState, type Extension, RangeSet } from "@codemirror/state";
import { Decoration, EditorView, gutterLineClass, GutterMarker, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import { styleNonce } from "../../lib/nonce.ts";
import type { JsonSelection, JsonTextProps } from "./json-text.ts";

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--code-name)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: [tags.bool, tags.null], color: "var(--code-keyword)" },
]);

const look = EditorView.theme({
  "&": { fontSize: "12.5px", backgroundColor: "var(--surface)", color: "var(--text-1)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--font-mono)",
    lineHeight: "20px",
    letterSpacing: "-0.01em",
    fontFeatureSettings: "'calt' 0, 'liga' 0",
    minHeight: "96px",
    maxHeight: "320px",
    // Not at the content: the numbers would not follow it.
    padding: "8px 0",
  },
  // The frame around the editor shows the focus.
  ".cm-content, .cm-content:focus-visible": { padding: "0", caretColor: "var(--text-1)", boxShadow: "none" },
  ".cm-line": { padding: "0 12px 0 0" },
  ".cm-gutters": { backgroundColor: "transparent", border: "none", color: "var(--text-3)", minWidth: "38px" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "38px", padding: "0 12px 0 0" },
  ".cm-cursor": { borderLeftColor: "var(--text-1)" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": {
    background: "var(--accent-tint-border) !important",
  },
  ".cm-error-line": { backgroundColor: "var(--red-ground)" },
  ".cm-error-number": { backgroundColor: "var(--red-ground)", boxShadow: "inset 2px 0 0 var(--red)" },
});

/** A change that was given to the editor, not made in it. */
const isGiven = Annotation.define<true>();

const errorLineMark = Decoration.line({ class: "cm-error-line" });

class ErrorNumber extends GutterMarker {
  override elementClass = "cm-error-number";
}
const errorNumberMark = new ErrorNumber();

/** Red background for the invalid line, with a bar at its number. */
function errorDecoration(state: EditorState, line: number | undefined): Extension {
  if (line === undefined || line > state.doc.lines) return [];
  const { from } = state.doc.line(line);
  return [
    EditorView.decorations.of(Decoration.set(errorLineMark.range(from))),
    gutterLineClass.of(RangeSet.of(errorNumberMark.range(from))),
  ];
}

const attributes = ({ id, labelledBy, isInvalid }: Pick<JsonTextProps, "id" | "labelledBy" | "isInvalid">): Extension =>
  EditorView.contentAttributes.of({
    ...(id === undefined ? {} : { id }),
    "aria-labelledby": labelledBy,
    "aria-invalid": String(isInvalid),
    "aria-multiline": "true",
    tabindex: "0",
  });

export function JsonCodeMirror({
  id,
  labelledBy,
  value,
  onChange,
  errorLine,
  isInvalid,
  selection,
}: JsonTextProps & { selection?: JsonSelection | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useRef(onChange);
  useEffect(() => {
    changed.current = onChange;
  });
  const marks = useRef(new Compartment());
  /** The initial configuration; the effects below apply later values. */
  const first = useRef({ doc: value, attributes: attributes({ id, labelledBy, isInvalid }), selection });

  useEffect(() => {
    if (place.current === null) return undefined;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: first.current.doc,
        extensions: [
          EditorView.cspNonce.of(styleNonce()),
          lineNumbers(),
          history(),
          json(),
          bracketMatching(),
          indentUnit.of("  "),
          syntaxHighlighting(colours),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.lineWrapping,
          look,
          marks.current.of(first.current.attributes),
          EditorView.updateListener.of((update) => {
            const isTyped = update.transactions.some((each) => each.docChanged && !each.annotation(isGiven));
            if (isTyped) changed.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    if (first.current.selection !== undefined) {
      editor.dispatch({ selection: first.current.selection, scrollIntoView: true });
      editor.focus();
    }
    return () => editor.destroy();
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: isGiven.of(true),
    });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    editor.dispatch({
      effects: marks.current.reconfigure([
        attributes({ id, labelledBy, isInvalid }),
        errorDecoration(editor.state, errorLine),
      ]),
    });
  }, [errorLine, id, isInvalid, labelledBy, value]);

  return <div ref={place} />;
}
