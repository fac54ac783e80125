/** The marks of sites whose accounts people sign in with, in the colour of the words beside them. */
import {
  IconBrandDingtalk,
  IconBrandDiscord,
  IconBrandGithub,
  IconBrandTelegram,
  IconBrandWechat,
  IconFeather,
  IconKey,
  type TablerIcon,
} from "@tabler/icons-react";

const ICONS: Readonly<Record<string, TablerIcon>> = {
  github: IconBrandGithub,
  discord: IconBrandDiscord,
  lark: IconFeather,
  dingtalk: IconBrandDingtalk,
  wechat: IconBrandWechat,
  telegram: IconBrandTelegram,
};

/** Linux DO's round field with its band across. */
const LinuxDoMark = ({ size }: { size: number }) => (
  <svg width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth={1.5} aria-hidden>
    <circle cx={12} cy={12} r={9} />
    <path d="M4.2 8h15.6M4.2 16h15.6" />
  </svg>
);

/** @param provider as in addresses; a named provider has a key. */
export function IdentityMark({ provider, size = 18 }: { provider: string; size?: number }) {
  if (provider === "linuxdo") return <LinuxDoMark size={size} />;
  const Icon = ICONS[provider] ?? IconKey;
  return <Icon size={size} stroke={1.5} aria-hidden />;
}
