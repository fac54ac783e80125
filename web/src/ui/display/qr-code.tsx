/** A QR code, for the setup of an authenticator app and for payments that are scanned. Its encoder is some kilobytes: load it lazily. */
import { encode } from "uqr";
import styles from "./qr-code.module.css";

/** Modules of white around it, as ISO/IEC 18004 asks for. */
const BORDER = 4;

/** One path of an SVG, black on white in dark themes too: cameras read nothing else well. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: "M", border: BORDER });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg
      className={styles.qr}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
