/** Options that hold the address of a picture, typed or uploaded, with the picture beside the field as visitors see it. */
import { type ReactNode, useRef, useState } from "react";
import { SITE_PICTURE_BYTES_MAX, uploadSitePicture } from "../../../../../contract/src/features/options.ts";
import { call } from "../../../lib/api.ts";
import { translate, useTranslation } from "../../../lib/i18n.ts";
import { Mark } from "../../../ui/display/mark.tsx";
import { describeError } from "../../../ui/feedback/describe-error.ts";
import { FieldError } from "../../../ui/form/fields.tsx";
import { PlainButton } from "../../../ui/plain.tsx";
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

/** Pictures that were uploaded while the page is open, by the address under which the site will serve them once it is saved. */
const uploaded = new Map<string, string>();

function readDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });
}

/** Uploads a picture and gives its address; the bounds are the server's, but no body is sent that it would not read. */
async function upload(file: File): Promise<string> {
  if (file.size > SITE_PICTURE_BYTES_MAX) throw new Error(translate("options:picture.large"));
  const url = await readDataUrl(file).catch(() => {
    throw new Error(translate("options:picture.unreadable"));
  });
  const { address } = await call(uploadSitePicture, { body: { data: url.slice(url.indexOf(",") + 1) } });
  uploaded.set(address, url);
  return address;
}

/** The address of a picture, and a button that uploads one in its place; what went wrong stands below. */
function UploadField({ children, ...props }: FieldProps & { children: ReactNode }) {
  const { field, label } = props;
  const { t } = useTranslation("options");
  const input = useRef<HTMLInputElement>(null);
  const [state, setState] = useState({ isBusy: false, error: "" });
  const take = async (file: File) => {
    setState({ isBusy: true, error: "" });
    try {
      field.set(await upload(file));
      setState({ isBusy: false, error: "" });
    } catch (error) {
      setState({ isBusy: false, error: describeError(error).message });
    }
  };
  return (
    <div className={styles.place}>
      <div className={styles.line}>
        <LineField {...props} />
        {!field.isReadOnly && (
          <PlainButton
            isBusy={state.isBusy}
            aria-label={`${t("picture.upload")} ${label}`}
            onClick={() => input.current?.click()}
          >
            {t("picture.upload")}
          </PlainButton>
        )}
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept="image/png,image/webp"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          currentTarget.value = "";
          if (file !== undefined) void take(file);
        }}
      />
      <FieldError error={state.error} />
      {children}
    </div>
  );
}

/** The picture that an address will show; undefined where our own mark stands for it. */
function shownAddress(text: string): string | undefined {
  const address = text.trim();
  const isOwn = address !== "" && address !== "/logo.png" && isShown(address);
  return isOwn ? (uploaded.get(address) ?? address) : undefined;
}

/** The mark and name of the bar above every page, in one theme or in the one that is shown. */
function Bar({ address, theme }: { address: string | undefined; theme?: "dark" }) {
  const { t } = useTranslation("options");
  const name = useOptionField("SystemName");
  return (
    <div className={styles.bar} data-theme={theme} role="img" aria-label={t("picture.bar")}>
      {address === undefined ? <Mark size={22} /> : <Picture address={address} className={styles.logo} alt="" />}
      <span className={styles.name}>{name.text}</span>
    </div>
  );
}

export const LogoField = (props: FieldProps) => (
  <UploadField {...props}>
    <Bar address={shownAddress(props.field.text)} />
  </UploadField>
);

export function DarkLogoField(props: FieldProps) {
  const logo = useOptionField("Logo");
  return (
    <UploadField {...props}>
      <Bar address={shownAddress(props.field.text) ?? shownAddress(logo.text)} theme="dark" />
    </UploadField>
  );
}

/** The picture in the tab of the browser. */
export function FaviconField(props: FieldProps) {
  const { t } = useTranslation("options");
  const logo = useOptionField("Logo");
  const address = shownAddress(props.field.text) ?? shownAddress(logo.text);
  return (
    <UploadField {...props}>
      <div className={styles.bar} role="img" aria-label={t("picture.tab")}>
        {address === undefined ? <Mark size={16} /> : <Picture address={address} className={styles.icon} alt="" />}
      </div>
    </UploadField>
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
