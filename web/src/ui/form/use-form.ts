/** The state of a form: its values, its errors by field, and submitting, with refusals of the server shown at their fields. */
import { useState } from "react";
import { ApiError } from "../../lib/api.ts";
import { withStepUp } from "../feedback/step-up.ts";
import { toast } from "../feedback/toast-store.ts";

/** An error by the key of its sentence, with what the sentence names. */
export interface KeyedError {
  key: string;
  values?: Record<string, string | number>;
}
/** Errors by field: keyed ones, or whole sentences as the server sends them. */
export type FieldErrors<Field extends string, FieldError = KeyedError | string> = Partial<Record<Field, FieldError>>;

export interface FormOptions<Values, Field extends string> {
  /** The values to begin with; called once. */
  start: () => Values;
  /** The rules: what is wrong by field, nothing where the values may be sent. */
  check: (values: Values) => FieldErrors<Field>;
  /** The field that shows a refusal of the server, by the server's name for it; undefined where none does. */
  refusedField?: (name: string) => Field | undefined;
  /** The sentence of an error that is a key. */
  sentence?: (key: string, values: Record<string, string | number>) => string;
  /**
   * What a change does to the errors shown: takes those of the changed fields away, or all of them; "live" runs the rules again at each
   * change once they were run.
   */
  onChange?: "clear-changed" | "clear-all" | "live";
}

export interface SubmitOptions<Values, Field extends string> {
  /** Title of the message about a failure that is about no field. */
  failed?: string | undefined;
  /** Rules in place of the form's own. */
  check?: (values: Values) => FieldErrors<Field>;
}

/** Whether a form's values, which JSON can hold, are other than those it began with. */
export const isChanged = <Values extends object>(values: Values, start: Values): boolean =>
  JSON.stringify(values) !== JSON.stringify(start);

/** For fields that have the same name here and at the server. */
export const sameNames =
  <Field extends string>(fields: readonly Field[]) =>
  (name: string): Field | undefined =>
    fields.find((field) => field === name);

const without = <Errors extends object>(errors: Errors, names: readonly string[]): Errors =>
  Object.fromEntries(Object.entries(errors).filter(([name]) => !names.includes(name))) as Errors;

/**
 * The errors that are shown.
 * @returns `check`: runs the rules and shows what they find; true where nothing is wrong
 */
function useErrors<Values, Field extends string>(values: Values, options: FormOptions<Values, Field>) {
  const { check: rules, refusedField, sentence, onChange = "clear-changed" } = options;
  const [found, setErrors] = useState<FieldErrors<Field>>({});
  const [isChecked, setIsChecked] = useState(false);
  const errors = onChange === "live" && isChecked ? rules(values) : found;
  return {
    errors,
    setErrors,
    isChecked,
    check: (own = rules): boolean => {
      const wrong = own(values);
      setErrors(wrong);
      setIsChecked(true);
      return Object.keys(wrong).length === 0;
    },
    errorOf: (field: Field): string | undefined => {
      const error = errors[field];
      if (error === undefined || typeof error === "string") return error;
      return sentence?.(error.key, error.values ?? {}) ?? error.key;
    },
    /** Shows the server's sentence at its field; false where it is about none. */
    refuse: (error: unknown): boolean => {
      const field = error instanceof ApiError && error.field !== undefined ? refusedField?.(error.field) : undefined;
      if (field === undefined || !(error instanceof ApiError)) return false;
      setErrors({ [field]: error.message } as FieldErrors<Field>);
      return true;
    },
    clear: (changed: readonly string[]) =>
      setErrors((old) => (onChange === "clear-changed" ? without(old, changed) : {})),
    reset: () => {
      setErrors({});
      setIsChecked(false);
    },
  };
}

/**
 * @example
 * const form = useForm({ start: () => ({ name: "" }), check: ({ name }) => (name === "" ? { name: t("missing") } : {}) });
 * <FormDrawer isDirty={form.isDirty} onSubmit={() => form.submit((values) => save.mutateAsync(values), { failed: t("notSaved") })}>
 *   <TextInput value={form.values.name} error={form.errorOf("name")} onChange={(event) => form.change({ name: event.currentTarget.value })} />
 */
export function useForm<Values extends object, Field extends string>(options: FormOptions<Values, Field>) {
  const [start, setStart] = useState(options.start);
  const [values, setValues] = useState(start);
  const [isPending, setIsPending] = useState(false);
  const { clear, reset, ...shown } = useErrors(values, options);
  /**
   * Runs the rules, then sends. A refusal is shown at its field, any other failure as a message.
   * @param send resolves false where nothing was sent after all
   * @returns whether it was sent
   */
  const submit = async (
    send: (values: Values) => Promise<unknown>,
    { failed, check }: SubmitOptions<Values, Field> = {},
  ): Promise<boolean> => {
    if (!shown.check(check)) return false;
    setIsPending(true);
    try {
      return (await send(values)) !== false;
    } catch (error) {
      if (!shown.refuse(error)) toast.error(error, failed);
      return false;
    } finally {
      setIsPending(false);
    }
  };
  return {
    ...shown,
    /** The values that the form began with. */
    start,
    values,
    isDirty: isChanged(values, start),
    isPending,
    change: (part: Partial<Values>) => {
      setValues((old) => ({ ...old, ...part }));
      clear(Object.keys(part));
    },
    submit,
    /** `submit` for what the server wants a confirmation for: false, with the values kept, where that is cancelled. */
    submitConfirmed: (send: (values: Values) => Promise<unknown>) =>
      submit(async (sent) => (await withStepUp(() => send(sent).then((): true => true))) ?? false),
    /** Begins anew with these values. */
    restart: (next: Values) => {
      setStart(next);
      setValues(next);
      reset();
    },
  };
}

export type Form<Values extends object, Field extends string> = ReturnType<typeof useForm<Values, Field>>;
