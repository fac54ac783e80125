/** Below the address of a channel to another gateway of this API family: its groups and prices, read when asked for. */
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "../../../lib/i18n.ts";
import { type GatewayInfo, readGateway } from "../../../../../contract/src/channels/gateway.ts";
import { call } from "../../../lib/api.ts";
import { formatRatio } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { FieldLink, FieldLinks } from "../../../ui/form/fields.tsx";
import styles from "./gateway-facts.module.css";

/** Models whose prices are shown. */
const PRICES_SHOWN = 50;
/** A ratio of 1, in USD per 1M tokens. */
const USD_OF_ONE = 2;

const dollars = (amount: number): string => `$${Number(amount.toPrecision(6))}`;

function Prices({ info }: { info: GatewayInfo }) {
  const { t } = useTranslation("channel-editor");
  const shown = info.models.slice(0, PRICES_SHOWN);
  return (
    <details>
      <summary>{t("gateway.prices", { count: info.model_count })}</summary>
      <ul className={styles.prices}>
        {shown.map((model) => (
          <li key={model.model_name}>
            <span className="mono">{visible(model.model_name)}</span>{" "}
            <span className={styles.faint}>
              {model.quota_type === 1
                ? t("gateway.call", { price: dollars(model.model_price) })
                : t("gateway.input", {
                    input: dollars(model.model_ratio * USD_OF_ONE),
                    output: dollars(model.model_ratio * model.completion_ratio * USD_OF_ONE),
                  })}
            </span>
          </li>
        ))}
      </ul>
      {info.model_count > shown.length && (
        <p className={styles.faint}>{t("gateway.more", { count: info.model_count - shown.length })}</p>
      )}
    </details>
  );
}

export function GatewayFacts({ baseUrl }: { baseUrl: string }) {
  const { t } = useTranslation("channel-editor");
  const address = baseUrl.trim();
  const read = useMutation({
    meta: { showsOwnError: true },
    mutationFn: (base_url: string) => call(readGateway, { body: { base_url } }),
    onError: (error) => toast.error(error, t("gateway.failed")),
  });
  // What was read of one address says nothing of another.
  const info = read.variables === address ? read.data : undefined;
  return (
    <div className={styles.facts}>
      <FieldLinks>
        <FieldLink isDisabled={address === "" || read.isPending} onClick={() => read.mutate(address)}>
          {t("gateway.show")}
        </FieldLink>
      </FieldLinks>
      {info !== undefined && (
        <div role="status" className={styles.read}>
          <p className={styles.faint}>
            {info.system_name === "" ? t("gateway.unnamed") : visible(info.system_name)}. {t("gateway.hint")}
          </p>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{t("gateway.group")}</th>
                <th scope="col">{t("gateway.ratio")}</th>
                <th scope="col">{t("gateway.models")}</th>
              </tr>
            </thead>
            <tbody>
              {info.groups.map(({ name, description, ratio, models }) => (
                <tr key={name}>
                  <td>
                    {visible(name)} <span className={styles.faint}>{visible(description)}</span>
                  </td>
                  <td>{ratio === null ? "–" : formatRatio(ratio)}</td>
                  <td>{models}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <Prices info={info} />
        </div>
      )}
    </div>
  );
}
