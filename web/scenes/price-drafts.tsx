/** An editor's draft of prices with the button that tries it on past calls; tests answer `/api/prices/dry_run`. */
import { lazy, Suspense, useMemo, useState } from "react";
import { TryDraft } from "../src/features/prices/try-draft.tsx";
import { loadTexts } from "../src/lib/i18n.ts";

function Editor() {
  const [ratio, setRatio] = useState(2);
  const draft = useMemo(() => ({ options: { GroupRatio: `{"default": ${ratio}}` } }), [ratio]);
  return (
    <>
      <button type="button" onClick={() => setRatio(ratio + 1)}>
        Change the draft
      </button>
      <TryDraft draft={draft} />
    </>
  );
}

const WithTexts = lazy(async () => {
  await loadTexts("prices");
  return { default: Editor };
});

export const Drafted = () => (
  <Suspense>
    <WithTexts />
  </Suspense>
);
