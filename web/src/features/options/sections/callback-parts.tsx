/** The callback addresses of GitHub, Linux DO and the OpenID provider, each with where it has to be entered there. */
import { useTranslation } from "react-i18next";
import { CallbackAddress } from "../../../ui/identities/callback-address.tsx";

function Callback({ provider }: { provider: "github" | "linuxdo" | "oidc" }) {
  const { t } = useTranslation("options");
  return <CallbackAddress provider={provider} help={t(`callback.${provider}`)} />;
}

export const GithubCallback = () => <Callback provider="github" />;
export const LinuxDoCallback = () => <Callback provider="linuxdo" />;
export const OidcCallback = () => <Callback provider="oidc" />;
