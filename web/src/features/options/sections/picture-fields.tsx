/** Options that hold the address of a picture, with the picture beside the field as visitors see it. */
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { Mark } from "../../../ui/display/mark.tsx";
import { type FieldProps, useOptionField } from "../draft/settings.ts";
import { LineField } from "../fields/plain-fields.tsx";
import styles from "./pictures.module.css";

/** An address that the page may show: what is being typed is no address yet. */
const isShown = (address: string): boolean => /^(?:https?:\/\/[^/]+\.?|\/(?!\/)|data:image\/)./i.test(address);

function Picture({ address, className, alt }: { address: string; className: string | undefined; alt: string }) {
  const { t } = useTranslation("options");
  const [broken, setBroken] = useState("");
  if (broken === address) return <span className={styles.broken}>{t("picture.broken")}</span>;
  return <img className={className} src={address} alt={alt} onError={() => setBroken(address)} />;
}

/** The mark and name of the bar above every page. */
export function LogoField(props: FieldProps) {
  const { t } = useTranslation("options");
  const name = useOptionField("SystemName");
  const address = props.field.text.trim();
  const isOwn = address !== "" && address !== "/logo.png" && isShown(address);
  return (
    <div className={styles.place}>
      <LineField {...props} />
      <div className={styles.bar} role="img" aria-label={t("picture.bar")}>
        {isOwn ? <Picture address={address} className={styles.logo} alt="" /> : <Mark size={22} />}
        <span className={styles.name}>{name.text}</span>
      </div>
    </div>
  );
}

/** The code that people scan with WeChat. */
export function QrCodeField(props: FieldProps) {
  const { t } = useTranslation("options");
  const address = props.field.text.trim();
  return (
    <div className={styles.place}>
      <LineField {...props} />
      {isShown(address) && <Picture address={address} className={styles.qrCode} alt={t("picture.qrCode")} />}
    </div>
  );
}
