/** What a token may do, in one sentence above the button that makes it: how many models, how much, until when. */
import { useTranslation } from "react-i18next";
import { NEVER_EXPIRES } from "../../../../contract/src/features/tokens.ts";
import { formatDate, formatQuota } from "../../lib/format.ts";
import { useViewer } from "../../lib/viewer.ts";
import { amountQuota } from "../../ui/form/amount.ts";
import { expiryText, parseExpiry } from "./model/expiry.ts";
import type { Shown, TokenForm } from "./model/token-form.ts";

/** From here on the day says enough. */
const DAY_ALONE_FROM_S = 2 * 86_400;

const momentText = (atS: number, shown: Shown): string =>
  atS - Date.now() / 1000 < DAY_ALONE_FROM_S ? expiryText(atS, shown.language) : formatDate(atS);

/** Nothing while a field says something that cannot be read. */
export function TokenSummary({ form, shown }: { form: TokenForm; shown: Shown }) {
  const { t } = useTranslation("tokens");
  const viewer = useViewer();
  const quota = amountQuota(form.amount, shown);
  const moment = parseExpiry(form.expires);
  if ((quota === undefined && !form.isUnlimited) || moment === undefined) return null;
  const count = form.models.length;
  const group = form.group || viewer?.group || "default";
  return t("editor.summary.whole", {
    models: count === 0 ? t("editor.summary.everyModel", { group }) : t("editor.summary.models", { count }),
    quota: form.isUnlimited
      ? t("editor.summary.unlimited")
      : t("editor.summary.quota", { quota: formatQuota(quota ?? 0) }),
    until:
      moment === NEVER_EXPIRES
        ? t("editor.summary.never")
        : t("editor.summary.until", { moment: momentText(moment, shown) }),
  });
}
