/** The field for a moment where few ever open it: its script comes with its first use, and until then a field of its size stands in its place. */
import { TextInput } from "@mantine/core";
import { type ComponentProps, lazy, Suspense } from "react";
import type { MomentField } from "./time-range/moment-field.tsx";

const Field = lazy(async () => ({ default: (await import("./time-range/moment-field.tsx")).MomentField }));

/**
 * The same as MomentField.
 * @example <LazyMomentField precision="day" label={t("from")} value={from} onChange={setFrom} />
 */
export function LazyMomentField(props: ComponentProps<typeof MomentField>) {
  const { size, label, className, value } = props;
  const place = {
    ...(size === undefined ? {} : { size }),
    ...(className === undefined ? {} : { className }),
  };
  return (
    <Suspense fallback={<TextInput {...place} label={label} value={value} readOnly disabled />}>
      <Field {...props} />
    </Suspense>
  );
}
