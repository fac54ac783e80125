/** The props of a JSON text area, be it the plain one or CodeMirror. */

export interface JsonTextProps {
  /** Id of the element that is typed in. */
  id?: string | undefined;
  /** Id of the element that names it. */
  labelledBy: string;
  value: string;
  onChange: (value: string) => void;
  /** Counted from 1. */
  errorLine: number | undefined;
  isInvalid: boolean;
}

/** The selection in the text area that CodeMirror replaces, which then had the focus. */
export interface JsonSelection {
  anchor: number;
  head: number;
}
