/** The state of the price editor's form: what is typed, the price that it stands for, and its errors. */
import { useMemo, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { isSameOwnPrice, type OwnPrice } from "../../../../../contract/src/pricing/own-prices.ts";
import type { ModelPrice } from "../../../../../contract/src/pricing/pricing.ts";
import { useForm } from "../../../ui/form/use-form.ts";
import {
  type DraftSource,
  draftOf,
  inUnit,
  type PriceDraft,
  readDraft,
  type TokenField,
  type Unit,
} from "../model/draft.ts";

interface FormStart {
  /** The own entries as they were read; a change is refused where they are others by now. */
  own: OwnPrice;
  base: ModelPrice | undefined;
  quotaPerUnit: string;
}

const EMPTY_NAME = "";

export function usePriceForm({ own: startOwn, base, quotaPerUnit }: FormStart) {
  const { t } = useTranslation("prices");
  const [own, setOwn] = useState(startOwn);
  const source: DraftSource = useMemo(() => ({ own, base, quotaPerUnit }), [own, base, quotaPerUnit]);
  const form = useForm<PriceDraft, string>({
    start: () => draftOf(source, "usd"),
    check: (values) => readDraft(values, source).errors,
    onChange: "live",
  });
  const { values: draft, isChecked } = form;
  const [name, setName] = useState(EMPTY_NAME);
  const [isTouched, setIsTouched] = useState(false);
  const read = useMemo(() => readDraft(draft, source), [draft, source]);
  const hasErrors = Object.keys(read.errors).length > 0;
  const change = (next: Partial<PriceDraft>) => {
    setIsTouched(true);
    form.change(next);
  };
  return {
    source,
    draft,
    read,
    name,
    setName: (next: string) => {
      setIsTouched(true);
      setName(next);
    },
    change,
    setToken: (field: TokenField, value: string) => change({ tokens: { ...draft.tokens, [field]: value } }),
    /** Says what is wrong instead of turning wrong texts into other numbers. */
    setUnit: (unit: Unit) => {
      const turned = inUnit(draft, unit, source);
      if (turned === undefined) form.check();
      else form.change(turned);
    },
    /** True where nothing is wrong; from now on errors are shown. */
    check: form.check,
    isChecked,
    errorOf: (field: string): string | undefined => {
      const error = form.errorOf(field);
      return error === undefined ? undefined : t(`common.error.${error}`);
    },
    isDirty: isTouched && (name !== EMPTY_NAME || hasErrors || !isSameOwnPrice(read.own, own)),
    isSame: !hasErrors && isSameOwnPrice(read.own, own),
    /** Takes the stored price as the start: `keepsDraft` keeps the typed values, to be saved over it. */
    restart: (next: FormStart, keepsDraft: boolean) => {
      setOwn(next.own);
      if (keepsDraft) return;
      form.restart(draftOf(next, draft.unit));
      setIsTouched(false);
    },
  };
}

export type PriceForm = ReturnType<typeof usePriceForm>;
