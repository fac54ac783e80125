/** The drawer's field for a parameter override with the text it stores beside it; tests answer `/api/channel/override/preview`. */
import { lazy, Suspense, useState } from "react";
import { OverrideField } from "../src/features/channels/editor/override-field.tsx";
import { NEW_CHANNEL } from "../src/features/channels/model/form.ts";
import { loadTexts } from "../src/lib/i18n.ts";

function Editor() {
  const [form, setForm] = useState(NEW_CHANNEL);
  return (
    <>
      <OverrideField
        form={form}
        set={(change) => setForm({ ...form, ...change })}
        errorOf={() => undefined}
        provider={undefined}
      />
      <output aria-label="Stored text">{form.param_override}</output>
    </>
  );
}

const WithTexts = lazy(async () => {
  await loadTexts("channels", "channel-editor");
  return { default: Editor };
});

export const Overridden = () => (
  <Suspense>
    <WithTexts />
  </Suspense>
);
