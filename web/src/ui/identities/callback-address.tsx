/** The address that another site leads back to after a sign-in, to be copied into that site's settings. Its words come with the settings page. */
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "../../lib/i18n.ts";
import { status, useStatus } from "../../lib/status.ts";
import { CopyButton } from "../display/copy.tsx";
import styles from "./callback-address.module.css";

/** The address of this site that a site of this name leads back to. */
export const callbackAddress = (provider: string): string =>
  `${status().server_address || location.origin}/oauth/${provider}`;

/** Why the address may be another one than the reader expects. */
type Doubt = "none" | "missing" | "other";

function doubtOf(serverAddress: string): Doubt {
  if (serverAddress === "") return "missing";
  return URL.parse(serverAddress)?.origin === location.origin ? "none" : "other";
}

/** An address of this site that has to be entered somewhere else. @param help where */
export function AddressToCopy({
  address,
  label,
  copyLabel,
  help,
}: {
  address: string;
  label: string;
  copyLabel: string;
  help: string;
}) {
  return (
    <div className={styles.row}>
      <div className={styles.words}>
        <div className={styles.label}>{label}</div>
        <p className={styles.help}>{help}</p>
      </div>
      <div className={styles.address}>
        <code>{address}</code>
        <CopyButton text={address} label={copyLabel} />
      </div>
    </div>
  );
}

/**
 * @param provider as in addresses: `github`, ..., or the slug of a named provider
 * @param help where it has to be entered
 */
export function CallbackAddress({ provider, help }: { provider: string; help: string }) {
  const { t } = useTranslation("options");
  const { server_address } = useStatus();
  const address = callbackAddress(provider);
  const doubt = doubtOf(server_address);
  return (
    <div className={styles.place}>
      <AddressToCopy address={address} label={t("callback.label")} copyLabel={t("callback.copy")} help={help} />
      {doubt !== "none" && (
        <p className={styles.doubt}>
          <IconAlertTriangle size={14} stroke={1.5} aria-hidden />
          {t(`callback.${doubt}`, { address: server_address, here: location.origin })}
        </p>
      )}
    </div>
  );
}
