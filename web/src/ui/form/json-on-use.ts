/** Loads CodeMirror once a plain text of JSON is used, and gives it the place, the caret and the focus of that text. */
import { type ComponentType, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { JsonSelection, JsonTextProps } from "./json-text.ts";

type Editor = ComponentType<JsonTextProps & { selection?: JsonSelection | undefined }>;

export function useEditorOnUse() {
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
